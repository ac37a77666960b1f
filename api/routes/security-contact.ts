import { DAY, toIso } from '../../pipeline/core/clock.ts'
import { defineOperation } from '../operation/operation.ts'
import { replyOk, replyRefused } from '../responses/reply.ts'

/** A reader asks again after this time; RFC 9116 recommends less than a year. */
const VALID_DAYS = 180

export const describeSecurityContact = defineOperation({
  id: 'securityContact',
  method: 'GET',
  path: '/.well-known/security.txt',
  summary: 'Get the contact for reporting vulnerabilities',
  description:
    'In the format of RFC 9116. Returns 404 if the operator has not set `SECURITY_CONTACT`.',
  access: 'public',
  cache: 'document',
  worksWithoutStores: true,
  reply: { 200: { type: 'text/plain; charset=utf-8' } },
  errors: ['not_found'],
  handle: ({ services: { config, clock, baseUrl } }) => {
    const { SECURITY_CONTACT: contact } = config
    if (contact === undefined) return replyRefused('not_found', 'no contact is set', {})
    const today = Math.floor(clock.now() / DAY) * DAY
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${toIso(today + VALID_DAYS * DAY)}`,
      'Preferred-Languages: en',
      `Canonical: ${baseUrl()}/.well-known/security.txt`,
    ]
    return { ...replyOk(`${lines.join('\n')}\n`), type: 'text/plain; charset=utf-8' }
  },
})
