import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { measureBytes } from '../../pipeline/core/truncate-json.ts'
import { IdentifierCheck, PropertyCheck } from '../../pipeline/model/property-check.ts'
import { checkDomains } from '../checks/domains.ts'
import { checkIdentifiers } from '../checks/identifiers.ts'
import { defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { fitItems } from '../responses/lists.ts'
import { replyOk, replyRefused, type Sent } from '../responses/reply.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Callers refuse longer answers; one that would be longer has each of its four lists cut. */
const ANSWER_BYTES = 1.9 * 1024 * 1024
const LIST_BYTES = ANSWER_BYTES / 4
const retention =
  'The answer can be read again for seven days by its `report_id`, which is absent while reports ' +
  'cannot be kept.'
const refusals = ['invalid_request', 'too_large', 'unsupported_media_type', 'unavailable'] as const

export const checkPropertyList = defineOperation({
  id: 'checkPropertyList',
  method: 'POST',
  path: '/api/properties/check',
  group: 'Property Resolution',
  summary: 'Check a list of domains before it is used',
  description:
    'Each domain is to be removed (it stands twice, or is no inventory), written otherwise, looked ' +
    `at, or is known. One in \`modify\` stands in another list as well, under its new name. ${retention}`,
  access: 'public',
  cache: 'none',
  asksSnapshot: true,
  body: z.object({
    domains: z.array(z.unknown()).meta({
      maxItems: limits.checkedNames,
      description: 'One domain per line, in any spelling',
    }),
  }),
  reply: { 200: PropertyCheck },
  errors: refusals,
  handle: async ({ body: { domains }, services }) => {
    boundItems('domains', domains, services)
    const { summary, ...lists } = await checkDomains(domains, services.reader)
    const most = measureBytes(lists) > ANSWER_BYTES ? LIST_BYTES : ANSWER_BYTES
    const shown = Object.entries(lists).map(([name, list]) =>
      fitItems(name, list as object[], most),
    )
    return keep('domains', { summary, ...Object.assign({}, ...shown) }, services)
  },
})

export const checkIdentifierList = defineOperation({
  id: 'checkIdentifierList',
  method: 'POST',
  path: '/api/properties/check/bulk',
  group: 'Property Resolution',
  summary: 'Check a list of identifiers of sites and apps',
  description:
    'A line is a domain, the id or package of an app, or a store and an id (`ROKU,12345`); empty ' +
    `lines and those that begin with # are skipped. ${retention}`,
  access: 'public',
  cache: 'none',
  asksSnapshot: true,
  body: z.object({
    identifiers: z.array(z.string()).meta({
      maxItems: limits.checkedNames,
      description: 'One identifier per line',
    }),
  }),
  reply: { 200: IdentifierCheck },
  errors: refusals,
  handle: async ({ body: { identifiers }, services }) => {
    boundItems('identifiers', identifiers, services)
    const { summary, entries } = await checkIdentifiers(identifiers, services.reader)
    const shown = fitItems('entries', entries, ANSWER_BYTES)
    const isCut = 'entries_truncated' in shown
    const report = { summary, ...shown, ...(isCut && { entries_total: entries.length }) }
    return keep('identifiers', report, services)
  },
})

export const readPropertyCheck = defineOperation({
  id: 'getPropertyCheck',
  method: 'GET',
  path: '/api/properties/check/:reportId',
  group: 'Property Resolution',
  summary: 'Get the report of a checked list of domains',
  access: 'public',
  cache: 'none',
  params: z.object({ reportId: z.string().describe('`report_id` that the check gave out') }),
  reply: { 200: PropertyCheck },
  errors: ['not_found', 'unavailable'],
  handle: ({ params, services }) => find('domains', params.reportId, services),
})

export const readIdentifierCheck = defineOperation({
  id: 'getIdentifierCheck',
  method: 'GET',
  path: '/api/properties/check/bulk/:reportId',
  group: 'Property Resolution',
  summary: 'Get the report of a checked list of identifiers',
  access: 'public',
  cache: 'none',
  params: z.object({ reportId: z.string().describe('`report_id` that the check gave out') }),
  reply: { 200: IdentifierCheck },
  errors: ['not_found', 'unavailable'],
  handle: ({ params, services }) => find('identifiers', params.reportId, services),
})

type Kind = 'domains' | 'identifiers'

function boundItems(kind: Kind, items: readonly unknown[], { config }: Services): void {
  const most = config.LIMITS.checkedNames
  if (items.length > most) refuse('invalid_request', `${kind}: must not be more than ${most}`)
}

async function keep(kind: Kind, report: object, { reports, clock }: Services): Promise<Sent> {
  const id = await reports.keep(kind, report, clock.now())
  return replyOk({ ...report, ...(id !== undefined && { report_id: id }) })
}

async function find(kind: Kind, id: string, { reports }: Services): Promise<Sent> {
  const report = UUID.test(id) ? await reports.find(kind, id) : undefined
  return report
    ? replyOk(report)
    : replyRefused('not_found', 'no such report, or it has run out', {})
}
