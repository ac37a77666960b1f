import { z } from 'zod'
import type { Domain } from '../../../pipeline/core/domain.ts'
import type { LiveBrandFailure } from '../../../pipeline/model/reported-fault.ts'
import { BrandList, BrandResolution } from '../../../pipeline/model/responses/index.ts'
import { findBrand, resolveBrands } from '../../../pipeline/read/lookups/resolutions.ts'
import { findFileFreshness } from '../../../pipeline/read/lookups/stored.ts'
import { listDomainKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { brandList } from '../../../pipeline/read/queries/brands.ts'
import { BulkDomains, describeBulk, parseDomainsStrictly } from '../../inputs/bulk.ts'
import { fresh, PastedDomain } from '../../inputs/fields.ts'
import { buildAgeHeader } from '../../limits/outbound.ts'
import { resolveLiveBrand } from '../../live/resolve-live-brand.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { findMeantDomain, listMeantDomainKeys } from '../../responses/meant-domain.ts'
import { createListQuery, replyList } from '../../responses/registered-list.ts'
import {
  noStore,
  replyLent,
  replyOk,
  replyRefused,
  replyStored,
  type Sent,
} from '../../responses/reply.ts'

/** The caller of a request. */
export type Caller = () => string

export const resolveBrand = defineOperation({
  id: 'resolveBrand',
  method: 'GET',
  path: '/api/brands/resolve',
  group: 'Brand Resolution',
  summary: 'Resolve a domain to its canonical brand',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ query: { domain } }) => [
    ...listDomainKeys(domain),
    ...listMeantDomainKeys(domain, listDomainKeys),
  ],
  query: z.object({ domain: PastedDomain, fresh }),
  reply: { 200: BrandResolution },
  responseHeaders: ['ETag', 'Last-Modified'],
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: ({ query: { domain, fresh }, caller, services }) => {
    if (fresh) return resolveFreshBrand(domain, caller, services)
    const found = findBrand(services.reader, domain)
    return found ? replyStored(found) : replyUnknownBrand(services, domain, caller)
  },
})

async function resolveFreshBrand(
  domain: Domain,
  caller: Caller,
  services: Services,
): Promise<Sent> {
  const outcome = await resolveLiveBrand(domain, caller(), services)
  const live = outcome.answer
  if (live.resolution !== null)
    return replyOk(live.resolution, { ...noStore, ...buildAgeHeader(outcome) })
  const stored = findBrand(services.reader, domain)
  if (stored === undefined) return replyUnknownBrand(services, domain, caller, live.failure)
  return replyOk({ ...JSON.parse(stored.body.toString()), live_brand_json: live.failure }, noStore)
}

/** Refuses with what is known of a domain without a brand, and has it crawled if it never was. */
export function replyUnknownBrand(
  { demand, reader }: Services,
  domain: Domain,
  caller: Caller,
  live?: LiveBrandFailure,
  more?: object,
): Sent {
  const freshness = findFileFreshness(reader, 'brand.json', domain)
  if (freshness.state === 'never_crawled') demand.add(domain, caller)
  const status = live === undefined ? freshness.http_status : live.status_code
  return replyRefused('not_found', `no brand is known for ${domain}`, {
    domain,
    ...findMeantDomain(domain, meant => findBrand(reader, meant) !== undefined),
    ...(status !== undefined && { file_status: status }),
    ...more,
    ...(live && { live_brand_json: live }),
    freshness,
  })
}

export const resolveBrandsBulk = defineOperation({
  id: 'resolveBrandsBulk',
  method: 'POST',
  path: '/api/brands/resolve/bulk',
  group: 'Brand Resolution',
  summary: 'Resolve many domains to their brands in one call',
  description:
    'Results are keyed by the trimmed, lowercase input. An unknown brand is null, without `did_you_mean`.',
  access: 'public',
  cache: 'none',
  limit: 'bulk',
  body: BulkDomains,
  reply: { 200: describeBulk(BrandResolution) },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited'],
  handle: ({ body, services: { config, reader } }) =>
    replyLent(
      resolveBrands(reader, parseDomainsStrictly(body.domains, config.LIMITS.bulkResolveDomains)),
    ),
})

const brandListQuery = createListQuery(
  'brands',
  ['brand_json', 'enriched', 'community', 'hosted'],
  1_000,
)

export const listRegisteredBrands = defineOperation({
  id: 'listBrands',
  method: 'GET',
  path: '/api/brands/registry',
  group: 'Brand Resolution',
  summary: 'List brands',
  description:
    'Returns brands sorted by name. `search` matches domains, names and house names: exact names come first, then names that start with the text. If nothing contains the text, similar spellings match. `stats` counts all matches, whatever their `source`.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: brandListQuery,
  reply: { 200: BrandList },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: ({ query, services: { reader } }) => replyList(brandList, query, reader),
})
