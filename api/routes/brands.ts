import { z } from 'zod'
import { Domain } from '../../pipeline/core/domain.ts'
import { lean } from '../../pipeline/core/lean.ts'
import { findBrand, resolveBrands } from '../../pipeline/index/points/brands.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import {
  type BrandsAsked,
  brandsListed,
  listBrands,
  noBrands,
  searchBrands,
} from '../../pipeline/index/queries/brands.ts'
import { firstPageOf } from '../../pipeline/index/queries/listed.ts'
import type { Reader, Snapshot } from '../../pipeline/index/reader.ts'
import { BrandItem, BrandResolution, BrandStats } from '../../pipeline/model/answers.ts'
import { BrandJson } from '../../pipeline/model/answers-brand-json.ts'
import { urlOf } from '../../pipeline/model/observation.ts'
import type { LiveBrandFailure } from '../../pipeline/model/reported-fault.ts'
import { BulkDomains, bulkOf, strictly } from '../bulk.ts'
import { fresh } from '../fields.ts'
import { fitting, fittingJson, LIST_BYTES, listQuery, searchOf, seqHeader } from '../lists.ts'
import { liveBrand } from '../live-brand.ts'
import { operation } from '../operation.ts'
import { notKept, ok, okStored, refused, type Sent } from '../reply.ts'
import type { Services } from '../services.ts'

/** Of what a brand says; answers stay below 256 KiB. */
const DATA_BYTES = 160 * 1024

export const resolveBrand = operation({
  id: 'resolveBrand',
  method: 'GET',
  path: '/api/brands/resolve',
  group: 'Brand Resolution',
  summary: 'Resolve a domain to its canonical brand',
  access: 'public',
  cache: 'revalidate',
  query: z.object({ domain: Domain, fresh }),
  reply: { 200: BrandResolution },
  errors: ['invalid_request', 'not_found', 'rate_limited', 'unavailable'],
  handle: ({ query: { domain, fresh }, caller, services }) => {
    if (fresh) return freshBrand(domain, caller(), services)
    const found = findBrand(services.reader, domain)
    return found ? okStored(found) : unknownBrand(services, domain)
  },
})

async function freshBrand(domain: Domain, caller: string, services: Services): Promise<Sent> {
  const live = await liveBrand(domain, caller, services)
  if (live.resolution !== null) return ok(live.resolution, notKept)
  const stored = findBrand(services.reader, domain)
  if (stored === undefined) return unknownBrand(services, domain, live.failure)
  return ok({ ...JSON.parse(stored.body.toString()), live_brand_json: live.failure }, notKept)
}

export const readBrandJson = operation({
  id: 'getBrandJson',
  method: 'GET',
  path: '/api/brands/brand-json',
  group: 'Brand Resolution',
  summary: 'What a brand says of itself',
  description:
    'The brand as the registry holds it, or with `fresh=true` the file of the domain as it is now; ' +
    '`data_truncated` says that a long one was cut.',
  access: 'public',
  cache: 'none',
  query: z.object({ domain: Domain, fresh }),
  reply: { 200: BrandJson },
  errors: ['invalid_request', 'not_found', 'rate_limited', 'unavailable'],
  handle: ({ query: { domain, fresh }, caller, services }) =>
    fresh ? freshBrandJson(domain, caller(), services) : storedBrandJson(domain, services),
})

async function freshBrandJson(domain: Domain, caller: string, services: Services): Promise<Sent> {
  const live = await liveBrand(domain, caller, services)
  if (live.resolution === null) return storedBrandJson(domain, services, live.failure)
  const { url, variant, data, data_truncated, warnings } = live
  return ok({
    ...{ domain, url, data, variant },
    ...(data_truncated && { data_truncated }),
    ...(warnings.length > 0 && { warnings }),
  })
}

/** The brand as it stands; `failure` is what came of asking the domain itself. */
function storedBrandJson(domain: Domain, services: Services, failure?: LiveBrandFailure): Sent {
  const stored = findBrand(services.reader, domain)
  if (stored === undefined) return unknownBrand(services, domain, failure, { errors: [] })
  const brand = JSON.parse(stored.body.toString()) as BrandResolution
  const data = lean({ name: brand.brand_name, ...brand.brand_manifest }, DATA_BYTES)
  const isOwn = brand.source === 'brand_json'
  return ok({
    domain,
    url: isOwn
      ? urlOf({ kind: 'brand.json', location: domain })
      : `${services.baseUrl()}/brands/${domain}/brand.json`,
    data: data?.value ?? { name: brand.brand_name },
    ...(data?.truncated !== false && { data_truncated: true }),
    ...(isOwn && {
      variant: brand.relationship_trust === 'inline' ? 'house_portfolio' : 'brand_canonical',
    }),
    ...(failure && { live_brand_json: failure }),
    freshness: brand.freshness,
  })
}

function unknownBrand(
  { demand, reader }: Services,
  domain: Domain,
  live?: LiveBrandFailure,
  more?: object,
): Sent {
  const freshness = freshnessOf(reader, 'brand.json', domain)
  if (freshness.state === 'never_crawled') demand.add(domain)
  const status = live === undefined ? freshness.http_status : live.status_code
  return refused('not_found', `no brand is known for ${domain}`, {
    domain,
    ...(status !== undefined && { file_status: status }),
    ...more,
    ...(live && { live_brand_json: live }),
    freshness,
  })
}

export const resolveBrandsBulk = operation({
  id: 'resolveBrandsBulk',
  method: 'POST',
  path: '/api/brands/resolve/bulk',
  group: 'Brand Resolution',
  summary: 'Resolve many domains to their brands in one call',
  description: 'Results are keyed by the trimmed, lower-case input; null where no brand is known.',
  access: 'public',
  cache: 'none',
  limit: 'bulk',
  body: BulkDomains,
  reply: { 200: bulkOf(BrandResolution) },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited'],
  handle: ({ body, services: { config, reader } }) =>
    ok(resolveBrands(reader, strictly(body.domains, config.LIMITS.bulkResolveDomains))),
})

const brandListQuery = listQuery(['brand_json', 'enriched', 'community', 'hosted'], 1_000)

export const listRegisteredBrands = operation({
  id: 'listBrands',
  method: 'GET',
  path: '/api/brands/registry',
  group: 'Brand Resolution',
  summary: 'List brands',
  description:
    'Brands by name. `search` is a part of the domain, a name or the name of the house: brands that ' +
    'are called so come first, then those that begin so; where no brand contains it, those that it ' +
    'may mean misspelled. `stats` counts all that match it, whatever `source` says.',
  access: 'public',
  cache: 'list',
  query: brandListQuery,
  reply: { 200: z.looseObject({ brands: z.array(BrandItem), stats: BrandStats }) },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, services: { reader } }) => {
    if (query.search) return searchedBrands(reader, query.search, query)
    const { lists, snapshot } = reader
    if (lists !== undefined) return ok(brandsListed(lists, query, LIST_BYTES), seqHeader(lists))
    return ok(snapshot ? await brandsOfSnapshot(snapshot, query) : noBrands, seqHeader(snapshot))
  },
})

function brandsOfSnapshot(snapshot: Snapshot, asked: BrandsAsked): Promise<object> {
  return firstPageOf(snapshot, 'brands', asked, async () => {
    const { brands, stats } = await listBrands(snapshot, asked)
    return { ...fitting('brands', brands), stats }
  })
}

async function searchedBrands(
  reader: Reader,
  text: string,
  query: z.output<typeof brandListQuery>,
): Promise<Sent> {
  const index = searchOf(reader)
  if (index === undefined) return ok(noBrands, seqHeader(index))
  const { items, stats } = await searchBrands(index, text, query)
  const body = `{${fittingJson('brands', items)},"stats":${JSON.stringify(stats)}}`
  return ok(body, seqHeader(index))
}
