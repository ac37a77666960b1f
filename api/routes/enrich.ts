import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { findBrand } from '../../pipeline/index/points/brands.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { type BrandResolution, EnrichedBrand } from '../../pipeline/model/answers.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'

/** What is waited beyond the time that a crawler takes for it. */
const SLACK_MS = 2_000

export const enrichBrand = operation({
  id: 'enrichBrand',
  method: 'GET',
  path: '/api/brands/enrich',
  group: 'Brand Resolution',
  summary: 'Logos, colours, words and company of a brand',
  description:
    'From the brand’s own document where the registry has one (`cached`), else asked of a provider ' +
    'of brand data or read from the home page at once. Questions to the web are limited; answers ' +
    'from the registry are not.',
  access: 'public',
  cache: 'none',
  query: z.object({ domain: PastedDomain }),
  reply: { 200: EnrichedBrand },
  errors: ['invalid_request', 'not_found', 'rate_limited', 'unavailable'],
  handle: async ({ query, caller, services: { budget, config, desk, reader } }) => {
    const domain = query.domain as Domain
    const known = knownBrand(reader, domain)
    if (known !== undefined) return ok(known)
    const outward = { question: `enrich ${domain}`, caller: caller(), target: domain }
    const { enrichment } = await budget.spend(outward, () =>
      desk.send({ errand: 'enrich_brand', domain }, config.LIMITS.enrichMs + SLACK_MS),
    )
    if (enrichment === null) {
      return refused('not_found', `no brand data was found for ${domain}`, { domain })
    }
    const { provider, ...found } = enrichment
    return ok({ success: true, domain, cached: false, source_type: 'enriched', provider, ...found })
  },
})

/** What the brand says itself; undefined when it has said nothing, or only where it belongs. */
function knownBrand(reader: Reader, domain: Domain): object | undefined {
  const stored = findBrand(reader, domain)
  if (stored === undefined) return undefined
  const brand = JSON.parse(stored.body.toString()) as BrandResolution
  const { brand_manifest, canonical_domain, source, freshness } = brand
  if (brand_manifest === undefined) return undefined
  const manifest = { url: `https://${canonical_domain}/`, ...brand_manifest }
  return { success: true, domain, cached: true, source_type: source, manifest, freshness }
}
