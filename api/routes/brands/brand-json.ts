import { z } from 'zod'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { truncateJson } from '../../../pipeline/core/truncate-json.ts'
import { type Source, toUrl } from '../../../pipeline/model/observation.ts'
import type { LiveBrandFailure } from '../../../pipeline/model/reported-fault.ts'
import { BrandJson } from '../../../pipeline/model/responses/brand-json.ts'
import type { BrandResolution } from '../../../pipeline/model/responses/index.ts'
import { readPublicRoot } from '../../../pipeline/parse/read-json.ts'
import { findFileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { findBrand } from '../../../pipeline/read/lookups/resolutions.ts'
import { readVersionBytes } from '../../../pipeline/read/queries/file-bytes.ts'
import { fresh, PastedDomain } from '../../inputs/fields.ts'
import { buildAgeHeader } from '../../limits/outbound.ts'
import { resolveLiveBrand } from '../../live/resolve-live-brand.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk, type Sent } from '../../responses/reply.ts'
import { type Caller, replyUnknownBrand } from './brands.ts'

/** Bytes of brand data in an answer; answers stay below 256 KiB. */
const DATA_BYTES = 160 * 1024

export const readBrandJson = defineOperation({
  id: 'getBrandJson',
  method: 'GET',
  path: '/api/brands/brand-json',
  group: 'Brand Resolution',
  summary: 'Get a domain’s brand.json as crawled',
  description:
    'Returns the last valid file of the domain, even if it points to another file, or, with `fresh=true`, the file as it is now. For a domain without its own file, returns what the registry stores about the brand. A missing `name` is added; contact data is left out.',
  access: 'public',
  cache: 'none',
  query: z.object({ domain: PastedDomain, fresh }),
  reply: { 200: BrandJson },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: ({ query: { domain, fresh }, caller, services }) =>
    fresh
      ? resolveFreshBrandJson(domain, caller, services)
      : replyStoredBrandJson(domain, caller, services),
})

async function resolveFreshBrandJson(
  domain: Domain,
  caller: Caller,
  services: Services,
): Promise<Sent> {
  const outcome = await resolveLiveBrand(domain, caller(), services)
  const live = outcome.answer
  if (live.resolution === null) return replyStoredBrandJson(domain, caller, services, live.failure)
  const { url, variant, data, data_truncated, warnings, resolution } = live
  const body = {
    domain,
    url,
    data,
    variant,
    ...(data_truncated && { data_truncated }),
    ...pickPromotion(resolution),
    ...(warnings.length > 0 && { warnings }),
  }
  return replyOk(body, buildAgeHeader(outcome))
}

/** Replies with what is stored; `failure` says what happened when the domain itself was asked. */
async function replyStoredBrandJson(
  domain: Domain,
  caller: Caller,
  services: Services,
  failure?: LiveBrandFailure,
): Promise<Sent> {
  const stored = findBrand(services.reader, domain)
  if (stored === undefined)
    return replyUnknownBrand(services, domain, caller, failure, { errors: [] })
  const brand = JSON.parse(stored.body.toString()) as BrandResolution
  const isOwn = brand.source === 'brand_json'
  const { data, ...found } = isOwn
    ? await readOwnFile(domain, brand, services)
    : readEntry(domain, brand, services)
  const named = truncateJson({ name: brand.brand_name, ...data }, DATA_BYTES)
  return replyOk({
    domain,
    ...found,
    data: named?.value ?? { name: brand.brand_name },
    ...(named?.truncated !== false && { data_truncated: true }),
    ...pickPromotion(brand),
    ...(failure && { live_brand_json: failure }),
    freshness: brand.freshness,
  })
}

/** Reads the last valid file of a domain. A replica has no files, and answers with what it knows of the brand. */
async function readOwnFile(location: Domain, brand: BrandResolution, { reader, config }: Services) {
  const source: Source = { kind: 'brand.json', location }
  const file = findFileRecord(reader, source)
  const bytes = file && (await readVersionBytes(reader, file.sha256, config.LIMITS.brandBytes))
  const root = bytes && readPublicRoot(bytes)
  return {
    url: file?.resolved_url ?? toUrl(source),
    ...(file && { variant: file.variant }),
    data: root ?? brand.brand_manifest,
    ...(root === undefined && { data_truncated: true }),
  }
}

/** Reads a stored brand whose domain has no file: what a member saved, or a provider knows. */
function readEntry(domain: Domain, brand: BrandResolution, services: Services) {
  return {
    url: brand.enrichment
      ? `https://${domain}/`
      : `${services.baseUrl()}/brands/${domain}/brand.json`,
    data: brand.brand_manifest,
  }
}

function pickPromotion({ promoted_from_schema }: BrandResolution) {
  return promoted_from_schema === undefined ? {} : { promoted_from_schema }
}
