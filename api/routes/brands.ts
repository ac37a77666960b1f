import { z } from 'zod'
import { Domain } from '../../pipeline/core/domain.ts'
import { findBrand, resolveBrands } from '../../pipeline/index/points/brands.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import {
  type BrandsAsked,
  listBrands,
  noBrands,
  searchBrands,
} from '../../pipeline/index/queries/brands.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { BrandItem, BrandResolution, BrandStats } from '../../pipeline/model/answers.ts'
import { BulkDomains, bulkOf, strictly } from '../bulk.ts'
import { fresh } from '../fields.ts'
import { fitting, fittingJson, listAnswer, listQuery, searchOf, seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok, okStored, refused, type Sent } from '../reply.ts'

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
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { domain }, services: { reader } }) => {
    const found = findBrand(reader, domain)
    return found ? okStored(found) : unknownBrand(reader, domain)
  },
})

function unknownBrand(reader: Reader, domain: string): Sent {
  const freshness = freshnessOf(reader, 'brand.json', domain)
  return refused('not_found', `no brand is known for ${domain}`, {
    domain,
    ...(freshness.http_status !== undefined && { file_status: freshness.http_status }),
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
    const { snapshot } = reader
    const body = snapshot ? await listAnswer('brands', snapshot, query, brandPage) : noBrands
    return ok(body, seqHeader(snapshot))
  },
})

async function brandPage(source: Parameters<typeof listBrands>[0], asked: BrandsAsked) {
  const { brands, stats } = await listBrands(source, asked)
  return { ...fitting('brands', brands), stats }
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
