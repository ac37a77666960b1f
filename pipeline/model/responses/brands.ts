import { z } from 'zod'
import { BrandCompany, BrandProfile, EnrichmentOrigin, enrichers } from '../enrichment.ts'
import { LiveBrandFailure } from '../reported-fault.ts'
import { PromotedFromSchema, pageEnd, Success } from '../shared-fields.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()
const count = z.int().nonnegative()

export const brandSources = ['brand_json', 'enriched', 'community'] as const

const Source = z
  .enum(brandSources)
  .describe(
    'Source: the brand’s own file (`brand_json`), a third party (`enriched`), or a member (`community`)',
  )
/** Degrees of certainty that a brand belongs to its house. */
export const relationshipTrusts = [
  'inline',
  'mutual',
  'leaf_only',
  'house_only',
  'standalone',
  'unverifiable',
] as const

/** Values of `relationship_trust`, explained. */
const trustLevels =
  'Trust in the relationship: `inline` (declared by the house for its own site), `mutual` (both name each other), `leaf_only` (only the brand names the house), `house_only` (only the house names the brand), `standalone` (no house), `unverifiable` (the house has no brand.json that can confirm it)'

/** Relationship of a brand to its house, according to the files. */
const relationship = {
  keller_type: text.describe(
    'Role of the brand: `master`, `sub_brand`, `endorsed` or `independent`; `master` if no source says',
  ),
  house_domain: text
    .optional()
    .describe(
      'Domain of the brand’s house, confirmed by both files; with `house_only`, only the house names the brand',
    ),
  claimed_house_domain: text
    .optional()
    .describe('Domain of a house that the brand names but that does not confirm the brand'),
  parent_brand: text
    .optional()
    .describe('ID of the parent brand in the house’s portfolio; absent if there is none'),
  brand_agent_url: text
    .optional()
    .describe('URL of the agent that represents the brand; absent if it has none'),
  relationship_trust: text.optional().describe(`${trustLevels}; absent if no file says anything`),
  relationship_verified_at: text
    .optional()
    .describe('Time at which both files were last seen to agree; only with `mutual`'),
}

export const BrandResolution = z
  .looseObject({
    canonical_id: text.describe('Domain that identifies the brand, whatever domain was requested'),
    canonical_domain: text.describe('Main domain of the brand'),
    brand_name: text.describe('Name of the brand; its domain if no file gives a name'),
    source: Source,
    ...relationship,
    house_name: text.optional().describe('Name of the company behind the brand'),
    brand_id: text.optional().describe('ID of the brand inside the brand.json that describes it'),
    relationship_declared_at: text
      .optional()
      .describe('Time from which the house has declared the brand as its own'),
    names: z
      .array(z.record(text, text))
      .optional()
      .describe('Names of the brand by language, each item as `{locale: name}`'),
    brand_manifest: z
      .record(text, z.unknown())
      .optional()
      .describe('Logos, colors, tone and more, as the source states them'),
    enrichment: EnrichmentOrigin.optional(),
    promoted_from_schema: PromotedFromSchema,
    migration_warnings: z
      .array(
        z.looseObject({
          field: text.describe('Path of the field in the file, such as `brands[0].id`'),
          message: text.describe('What was ignored or interpreted differently'),
          suggestion: text.optional().describe('How to fix the file; absent if there is no advice'),
        }),
      )
      .optional()
      .describe(
        'Parts of the file that were ignored or interpreted differently; only with `promoted_from_schema`',
      ),
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'BrandResolution', description: 'The brand behind a domain' })
export type BrandResolution = z.infer<typeof BrandResolution>

export const EnrichedBrand = z
  .looseObject({
    success: Success,
    domain: text.describe('Domain of the brand, normalized'),
    cached: z
      .boolean()
      .describe('Whether the response was cached, so that no provider was queried'),
    source_type: Source,
    provider: z
      .enum(enrichers)
      .optional()
      .describe('Provider of the facts; absent if they come from the brand or a member'),
    manifest: BrandProfile,
    company: BrandCompany.optional(),
    found_at: text.optional().describe('Time of the last request to the provider'),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'EnrichedBrand', description: 'Known logos, colors and texts of a brand' })
export type EnrichedBrand = z.infer<typeof EnrichedBrand>

export const BrandItem = z
  .looseObject({
    domain: text.describe('Domain under which the brand is listed'),
    brand_name: text.describe('Name of the brand; its domain if no file gives a name'),
    canonical_domain: text.describe('Main domain of the brand'),
    source: Source,
    has_manifest: z.boolean().describe('Whether logos, colors or similar facts are known'),
    verified: z.boolean().describe('Whether the brand’s own file is the source'),
    ...relationship,
  })
  .meta({ id: 'BrandItem', description: 'A brand as lists show it' })
export type BrandItem = z.infer<typeof BrandItem>

export const BrandStats = z
  .looseObject({
    total: count.describe('Number of brands that match the search'),
    hosted: count.describe(
      'Always 0: a brand whose file the registry serves is counted under its source',
    ),
    brand_json: count.describe(
      'Number of brands known from their own file, or the file that it leads to, such as that of their house',
    ),
    community: count.describe('Number of brands saved by a member'),
    enriched: count.describe('Number of brands known only from a third party'),
    stub: count.describe('Always 0: a domain without any facts is not a brand here'),
    houses: count.describe(
      'Number of brands that are `master`, `independent` or have no role, with or without brands below them',
    ),
    sub_brands: count.describe('Number of brands that are `sub_brand` or `endorsed`'),
    with_manifest: count.describe('Number of brands with known logos, colors or similar facts'),
  })
  .meta({
    id: 'BrandStats',
    description: 'Counts of the brands that match the search, whatever the source',
  })
export type BrandStats = z.infer<typeof BrandStats>

export const BrandList = z
  .looseObject({
    brands: z
      .array(BrandItem)
      .describe('Brands on this page, by name; with `search`, best matches first'),
    stats: BrandStats,
    brands_truncated: z
      .boolean()
      .optional()
      .describe('True if the page was cut because it would be too long'),
    ...pageEnd,
  })
  .meta({ id: 'BrandList', description: 'A page of brands' })
export type BrandList = z.infer<typeof BrandList>
