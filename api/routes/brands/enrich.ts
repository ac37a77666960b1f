import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import {
  BrandCompany,
  computeRefreshTime,
  type Enrichment,
} from '../../../pipeline/model/enrichment.ts'
import { type BrandResolution, EnrichedBrand } from '../../../pipeline/model/responses/index.ts'
import { findBrand } from '../../../pipeline/read/lookups/resolutions.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { hashCallerForLong } from '../../limits/caller.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { toBrandProfile } from '../../responses/brand-profile.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'

/** Time in addition to the crawler's own in which its answer is awaited. */
const SLACK_MS = 2_000
/** Time that the caller waits for the brand to be saved; then others see it too. */
const KEEP_MS = 1_000

export const enrichBrand = defineOperation({
  id: 'enrichBrand',
  method: 'GET',
  path: '/api/brands/enrich',
  group: 'Brand Resolution',
  summary: 'Enrich a brand with logos, colors, description and company',
  description:
    'Returns the registry’s own data if it knows the brand (`cached`). Otherwise, asks providers of brand data or reads the home page, and stores the result, so that lists include the brand from then on. Each caller can add up to 1,000 brands an hour. `source` stays `enriched` until a file or a member describes the brand. The data is refreshed after 30 days, and less often while nothing changes. `Age` is the age of a repeated response, in seconds.',
  access: 'public',
  cache: 'none',
  query: z.object({ domain: PastedDomain }),
  reply: { 200: EnrichedBrand },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: async ({ query, caller, services }) => {
    const domain = query.domain as Domain
    const stored = findStoredBrand(services.reader, domain)
    const known = stored && toProfile(domain, stored)
    const { enrichment: origin } = stored ?? {}
    const isAged =
      origin && services.clock.now() >= computeRefreshTime(origin, services.config.LIMITS)
    if (known !== undefined && !isAged) return replyOk(known)
    const isOpen = stored === undefined || stored.source === 'enriched'
    const isNew = stored === undefined
    const lookup = look(domain, caller(), { isOpen, isNew }, services)
    // For a known brand, older data is better than none.
    const found = await (known ? lookup.catch(ignoreUnavailable) : lookup)
    if (found !== null) {
      const { provider, ...profile } = found
      return replyOk({
        success: true,
        domain,
        cached: false,
        source_type: 'enriched',
        provider,
        ...profile,
      })
    }
    if (known !== undefined) return replyOk(known)
    return replyRefused('not_found', `no brand data was found for ${domain}`, { domain })
  },
})

type Found = Enrichment & { found_at: string }

/** Looks for a brand on the web, and submits the result if it may be saved. */
async function look(
  domain: Domain,
  caller: string,
  { isOpen, isNew }: { isOpen: boolean; isNew: boolean },
  { clock, config, demand, writer, log, outbound }: Services,
): Promise<Found | null> {
  const found = await outbound.ask<'enrich_brand'>({
    cacheKey: `enrich ${domain}`,
    caller,
    ms: config.LIMITS.enrichMs + SLACK_MS,
    request: () => ({ kind: 'enrich_brand', domain }),
    async after({ enrichment }) {
      if (enrichment === null || !isOpen) return
      // The number of enriched brands is limited: nobody may use up the room for all.
      if (isNew && !demand.admits(caller)) return
      const operation = {
        op: 'brand.enrich',
        revision_id: randomUUID(),
        domain,
        enrichment,
        found_at: toIso(clock.now()),
        ...(isNew && { caller_hash: hashCallerForLong(caller) }),
      } as const
      const saving = writer
        .submit(operation, { by: { kind: 'registry', id: 'enrich' } })
        .catch(error => log.debug({ domain, error }, 'the enrichment was not stored'))
      await Promise.race([saving, setTimeout(KEEP_MS, undefined, { ref: false })])
    },
  })
  const { enrichment } = found.answer
  return enrichment && { ...enrichment, found_at: toIso(clock.now() - found.ageMs) }
}

function ignoreUnavailable(error: unknown): null {
  if (error instanceof PublicError) return null
  throw error
}

function findStoredBrand(reader: Reader, domain: Domain): BrandResolution | undefined {
  const stored = findBrand(reader, domain)
  return stored && JSON.parse(stored.body.toString())
}

/** Converts a stored brand to a profile; undefined if it holds no manifest. */
function toProfile(domain: Domain, brand: BrandResolution): object | undefined {
  const { brand_manifest, canonical_domain, source, enrichment, freshness } = brand
  if (brand_manifest === undefined) return undefined
  const manifest = toBrandProfile(brand_manifest, `https://${canonical_domain}/`)
  const company = BrandCompany.safeParse(brand_manifest.company)
  return {
    success: true,
    domain,
    cached: true,
    source_type: source,
    ...(enrichment && { provider: enrichment.provider, found_at: enrichment.found_at }),
    manifest,
    ...(company.success && { company: company.data }),
    freshness,
  }
}
