import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import {
  buildHostedAddress,
  claimParameter,
  type OriginCheck,
  type OriginReason,
  toHostingBase,
} from '../../../pipeline/model/hosted.ts'
import {
  DomainClaimed,
  HostedAdagents,
  HostedBrandJson,
  OriginVerified,
} from '../../../pipeline/model/responses/hosted.ts'
import { hasEntry } from '../../../pipeline/read/lookups/history.ts'
import { findHosted, findOrigin } from '../../../pipeline/read/lookups/hosted.ts'
import { listDomainKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { isInOrganization } from '../../auth/organization-access.ts'
import type { Principal } from '../../auth/principal.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { replyOk, replyRefused, replyStored } from '../../responses/reply.ts'

/** Time in addition to the crawler's own. */
const SLACK_MS = 1_500
const TOKEN_BYTES = 32
const params = z.object({ domain: PastedDomain })

export const readHostedAdagents = defineOperation({
  id: 'getHostedAdagents',
  method: 'GET',
  path: '/publisher/:domain/.well-known/adagents.json',
  isFile: true,
  group: 'Property Resolution',
  summary: 'Get a publisher’s hosted adagents.json',
  description:
    'The file is built from the saved properties, as far as the format supports them. A publisher adopts ' +
    'it by pointing to it with `authoritative_location` in its own file.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ params: { domain } }) => listDomainKeys(domain),
  params,
  reply: { 200: HostedAdagents },
  responseHeaders: ['ETag', 'Last-Modified'],
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { domain }, services: { reader } }) => {
    const file = findHosted(reader, 'adagents.json', domain)
    return file
      ? replyStored(file)
      : replyRefused('not_found', `no file is hosted for ${domain}`, { domain })
  },
})

export const readHostedBrand = defineOperation({
  id: 'getHostedBrandJson',
  method: 'GET',
  path: '/brands/:domain/brand.json',
  isFile: true,
  group: 'Brand Resolution',
  summary: 'Get a brand’s hosted brand.json',
  description:
    'The file is built from the saved entry. A brand adopts it by pointing its own brand.json to it.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ params: { domain } }) => listDomainKeys(domain),
  params,
  reply: { 200: HostedBrandJson },
  responseHeaders: ['ETag', 'Last-Modified'],
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { domain }, services: { reader } }) => {
    const file = findHosted(reader, 'brand.json', domain)
    return file
      ? replyStored(file)
      : replyRefused('not_found', `no file is hosted for ${domain}`, { domain })
  },
})

export const claimHostedDomain = defineOperation({
  id: 'claimHostedDomain',
  method: 'POST',
  path: '/api/properties/hosted/:domain/claim',
  group: 'Property Resolution',
  summary: 'Claim a hosted file: get the pointer that the domain must publish',
  description:
    'Returns a URL that contains your organization’s claim. Once the domain points to this URL and you have verified that it does, nobody else can save the domain’s properties. A new claim voids the previous one. Returns 409 while ' +
    'the domain points to the file with another organization’s claim.',
  access: 'bearer',
  writes: true,
  raw: true,
  quota: 'saves',
  cache: 'none',
  params,
  reply: { 200: DomainClaimed },
  errors: ['invalid_request', 'forbidden', 'conflict', 'too_large', 'rate_limited', 'unavailable'],
  handle: async ({ params: { domain }, principal: { org_id }, services }) => {
    const { config, writer } = services
    if (org_id === undefined) return refuse('forbidden', 'only organizations may claim domains')
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const claim_hash = createHash('sha256').update(token).digest('hex')
    const answer = await writer.submit({ op: 'origin.claim', domain, org_id, claim_hash })
    if ('refused' in answer) {
      refuse(answer.error ?? 'conflict', answer.refused, { domain, ...answer.fields })
    }
    const address = new URL(buildHostedAddress(services.baseUrl(), 'adagents.json', domain))
    address.searchParams.set(claimParameter(config.PROTOCOL_NAME), token)
    const snippet = JSON.stringify({ authoritative_location: address.href })
    const cannotLead = explainPointerFault(services.baseUrl())
    return replyOk({
      success: true,
      domain,
      authoritative_location: address.href,
      instructions:
        cannotLead ??
        `Serve ${snippet} at https://${domain}/.well-known/adagents.json, save your properties, then call verify-origin.`,
    })
  },
})

export const verifyHostedOrigin = defineOperation({
  id: 'verifyHostedOrigin',
  method: 'POST',
  path: '/api/properties/hosted/:domain/verify-origin',
  group: 'Property Resolution',
  summary: 'Check that a domain points to its hosted file',
  description:
    'Reads the domain’s own adagents.json now. If the file points to the hosted one with a claim, the domain ' +
    'belongs to the claiming organization from then on. This also requests a crawl, which updates what the registry says about the publisher.',
  access: 'bearer',
  writes: true,
  raw: true,
  cache: 'none',
  params,
  reply: { 200: OriginVerified },
  errors: ['invalid_request', 'not_found', 'too_large', 'unavailable'],
  handle: async ({ params: { domain }, principal, services }) => {
    const { clock, writer, reader } = services
    if (findOrigin(reader, domain) === undefined && !hasEntry(reader, 'property', domain)) {
      return replyRefused('not_found', `nobody has saved or claimed ${domain}`, { domain })
    }
    const found = await askOrigin(domain, principal, services)
    // Nothing can point to a registry without such an address: that is said once there is a file.
    const cannotLead = pointingReasons.has(found.reason)
      ? explainPointerFault(services.baseUrl())
      : undefined
    const { reason, detail, claim } =
      cannotLead === undefined
        ? found
        : {
            reason: 'authoritative_location_mismatch' as const,
            detail: cannotLead,
            claim: undefined,
          }
    const checked_at = clock.now()
    const verify = { op: 'origin.verify', domain, reason, checked_at } as const
    const done = unwrapAnswer(
      await writer.submit(claim ? { ...verify, claim_hash: claim } : verify),
    )
    if (done.changed === true) await crawlNext(domain, principal, services)
    const bound = done.bound_org_id as string | undefined
    return replyOk({
      verified: reason === 'authoritative_location_pointer',
      reason,
      checked_at: toIso(checked_at),
      ...(detail !== undefined && { detail }),
      ...(bound !== undefined && isInOrganization(principal, bound) && { bound_org_id: bound }),
    })
  },
})

/** Results for a file that could point here, and does not. */
const pointingReasons: ReadonlySet<OriginReason> = new Set([
  'no_authoritative_location',
  'authoritative_location_mismatch',
])

/** Explains why no domain can point to this registry; undefined if they can. */
export function explainPointerFault(baseUrl: string): string | undefined {
  if (toHostingBase(baseUrl) !== undefined) return undefined
  return `a domain can only point to an https URL without a port, and this registry is at ${baseUrl}: its operator must set BASE_URL to such a URL`
}

async function askOrigin(
  domain: Domain,
  { id }: Principal,
  { config, outbound, baseUrl }: Services,
): Promise<OriginCheck> {
  const { answer } = await outbound.ask<'check_origin'>({
    cacheKey: `origin ${domain}`,
    mustBeNew: true,
    caller: id,
    ms: config.LIMITS.validateMs + SLACK_MS,
    request: () => ({ kind: 'check_origin', domain, base: baseUrl() }),
  })
  return answer
}

/** Requests a crawl of a domain whose file changed, so that a deliberate pointer is believed at once. */
async function crawlNext(
  domain: Domain,
  { id, org_id }: Principal,
  { writer }: Services,
): Promise<void> {
  await writer.submit({
    op: 'crawl.request',
    crawl_request_id: randomUUID(),
    scope: 'domain',
    domain,
    requested_by: id,
    ...(org_id !== undefined && { org_id }),
  })
}
