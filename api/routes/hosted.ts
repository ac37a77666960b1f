import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { hasEntry } from '../../pipeline/index/points/history.ts'
import { findHosted, findOrigin } from '../../pipeline/index/points/hosted.ts'
import {
  DomainClaimed,
  HostedAdagents,
  HostedBrandJson,
  OriginVerified,
} from '../../pipeline/model/answers-hosted.ts'
import { claimParameter, hostedAddress, type OriginCheck } from '../../pipeline/model/hosted.ts'
import type { Principal } from '../auth.ts'
import { operation } from '../operation.ts'
import { ok, okStored, refused } from '../reply.ts'
import type { Services } from '../services.ts'
import { actsFor } from '../standing.ts'
import { doneOrRefuse } from '../submitted.ts'

/** More than a crawler takes for it. */
const SLACK_MS = 1_500
const TOKEN_BYTES = 32
const params = z.object({ domain: Domain })

export const readHostedAdagents = operation({
  id: 'getHostedAdagents',
  method: 'GET',
  path: '/publisher/:domain/.well-known/adagents.json',
  group: 'Property Resolution',
  summary: 'The adagents.json that the registry serves for a publisher',
  description:
    'Made of what was saved of its properties, as far as the format has words for it. A publisher ' +
    'makes it its own by pointing there: `authoritative_location` in its own file.',
  access: 'public',
  cache: 'revalidate',
  params,
  reply: { 200: HostedAdagents },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { domain }, services: { reader } }) => {
    const file = findHosted(reader, 'adagents.json', domain)
    return file ? okStored(file) : refused('not_found', `no file is kept for ${domain}`, { domain })
  },
})

export const readHostedBrand = operation({
  id: 'getHostedBrandJson',
  method: 'GET',
  path: '/brands/:domain/brand.json',
  group: 'Brand Resolution',
  summary: 'The brand.json that the registry serves for a brand',
  description: 'Made of what was saved of it. A brand makes it its own by pointing there.',
  access: 'public',
  cache: 'revalidate',
  params,
  reply: { 200: HostedBrandJson },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { domain }, services: { reader } }) => {
    const file = findHosted(reader, 'brand.json', domain)
    return file ? okStored(file) : refused('not_found', `no file is kept for ${domain}`, { domain })
  },
})

export const claimHostedDomain = operation({
  id: 'claimHostedDomain',
  method: 'POST',
  path: '/api/properties/hosted/:domain/claim',
  group: 'Property Resolution',
  summary: 'Be told where a domain must point to be your organization’s',
  description:
    'The address carries a claim of your organization’s own. Once the domain points there, and that ' +
    'was verified, nobody else saves its properties. Asked again, the claim before is void. 409 while ' +
    'the domain points there for another organization.',
  access: 'bearer',
  writes: true,
  raw: true,
  quota: 'saves',
  cache: 'none',
  params,
  reply: { 200: DomainClaimed },
  errors: ['invalid_request', 'forbidden', 'conflict', 'too_large', 'rate_limited', 'unavailable'],
  handle: async ({ params: { domain }, principal: { org_id }, services }) => {
    const { config, desk } = services
    if (org_id === undefined) return refuse('forbidden', 'only an organization claims domains')
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const claim_hash = createHash('sha256').update(token).digest('hex')
    const answer = await desk.submit({ op: 'origin.claim', domain, org_id, claim_hash })
    if ('refused' in answer) {
      refuse(answer.error ?? 'conflict', answer.refused, { domain, ...answer.fields })
    }
    const address = new URL(hostedAddress(services.baseUrl(), 'adagents.json', domain))
    address.searchParams.set(claimParameter(config.PROTOCOL_NAME), token)
    const snippet = JSON.stringify({ authoritative_location: address.href })
    return ok({
      success: true,
      domain,
      authoritative_location: address.href,
      instructions: `Serve ${snippet} at https://${domain}/.well-known/adagents.json, save your properties, then ask for verify-origin.`,
    })
  },
})

export const verifyHostedOrigin = operation({
  id: 'verifyHostedOrigin',
  method: 'POST',
  path: '/api/properties/hosted/:domain/verify-origin',
  group: 'Property Resolution',
  summary: 'Look whether a domain points to the file that the registry serves for it',
  description:
    'Its own adagents.json is read now. Where it points here with a claim, the domain becomes that ' +
    'organization’s. What the registry tells of the publisher follows with the crawl that this asks for.',
  access: 'bearer',
  writes: true,
  raw: true,
  cache: 'none',
  params,
  reply: { 200: OriginVerified },
  errors: ['invalid_request', 'not_found', 'too_large', 'rate_limited', 'unavailable'],
  handle: async ({ params: { domain }, principal, services }) => {
    const { clock, desk, reader } = services
    if (findOrigin(reader, domain) === undefined && !hasEntry(reader, 'property', domain)) {
      return refused('not_found', `nobody has saved or claimed ${domain}`, { domain })
    }
    const { reason, detail, claim } = await askOrigin(domain, principal, services)
    const checked_at = clock.now()
    const verify = { op: 'origin.verify', domain, reason, checked_at } as const
    const done = doneOrRefuse(await desk.submit(claim ? { ...verify, claim_hash: claim } : verify))
    if (done.changed === true) await crawlNext(domain, principal, services)
    const bound = done.bound_org_id as string | undefined
    return ok({
      verified: reason === 'authoritative_location_pointer',
      reason,
      checked_at: isoOf(checked_at),
      ...(detail !== undefined && { detail }),
      ...(bound !== undefined && actsFor(principal, bound) && { bound_org_id: bound }),
    })
  },
})

function askOrigin(
  domain: Domain,
  { id }: Principal,
  { budget, config, desk, baseUrl }: Services,
): Promise<OriginCheck> {
  const outward = { question: `origin ${domain}`, caller: id, target: domain }
  const ms = config.LIMITS.validateMs + SLACK_MS
  return budget.spend(outward, () =>
    desk.send({ errand: 'check_origin', domain, base: baseUrl() }, ms),
  )
}

/** What the domain says has changed: the index shall see it, and believe a pointer that was meant. */
async function crawlNext(
  domain: Domain,
  { id, org_id }: Principal,
  { desk }: Services,
): Promise<void> {
  await desk.submit({
    op: 'crawl.request',
    ...{ crawl_request_id: randomUUID(), scope: 'domain', domain, requested_by: id },
    ...(org_id !== undefined && { org_id }),
  })
}
