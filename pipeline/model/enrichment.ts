import { z } from 'zod'
import { DAY, type Instant } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'

const text = z.string()
const texts = z.array(text)

/** A third party's description of a brand: shown, but never trusted. */
export const BrandProfile = z
  .looseObject({
    name: text.describe('Public name of the brand'),
    url: text.describe('URL of the brand’s home page'),
    description: text.exactOptional().describe('What the brand is, in a few sentences'),
    tagline: text.exactOptional().describe('Short slogan of the brand'),
    tone: text.exactOptional().describe('Tone of the brand, in a few words'),
    logos: z
      .array(
        z.looseObject({
          url: text.describe('URL of the image file'),
          tags: texts.describe(
            'What the image is for, such as `icon` or `dark`; for a brand.json logo, also its other fields, such as `variant`',
          ),
          orientation: text.exactOptional().describe('Shape of the image, such as `horizontal`'),
          background: text
            .exactOptional()
            .describe('Background that the logo is made for, such as `dark-bg`'),
          variant: text.exactOptional().describe('Variant of the logo, such as `wordmark`'),
        }),
      )
      .exactOptional()
      .describe('Logos of the brand, the main one first'),
    colors: z
      .record(text, z.unknown())
      .exactOptional()
      .describe('Colors of the brand by role, such as `primary`, as `#RRGGBB`'),
    fonts: z
      .array(
        z.looseObject({
          name: text.describe('Name of the font family'),
          role: text.exactOptional().describe('What the font is for, such as `title`'),
        }),
      )
      .exactOptional()
      .describe('Font families of the brand, by role'),
    social: texts.exactOptional().describe('URLs of the brand’s accounts on other sites'),
  })
  .meta({ id: 'BrandProfile', description: 'Names, logos, colors and texts of a brand' })
export type BrandProfile = z.infer<typeof BrandProfile>

export const BrandCompany = z
  .looseObject({
    name: text.exactOptional().describe('Name under which the company trades'),
    industry: text.exactOptional().describe('Main line of business of the company'),
    industries: texts.exactOptional().describe('All lines of business of the company'),
    employees: text.exactOptional().describe('Number of employees, often as a range'),
    founded: z.int().exactOptional().describe('Year in which the company was founded'),
    location: text.exactOptional().describe('City and country of the company’s headquarters'),
  })
  .meta({ id: 'BrandCompany', description: 'The company behind a brand' })
export type BrandCompany = z.infer<typeof BrandCompany>

/** Sources for enrichment: a service that the operator names, a provider of brand data, or the brand's own home page. */
export const enrichers = ['enrichment_service', 'brandfetch', 'home_page'] as const

/** Source of an enrichment, and its age. */
export const EnrichmentOrigin = z
  .looseObject({
    provider: z.enum(enrichers).describe('Source of the data: a provider, or the home page itself'),
    found_at: z.iso.datetime().describe('Time at which the data was last found'),
    unchanged_since: z.iso
      .datetime()
      .describe('Time from which every check has found the same data'),
  })
  .meta({
    id: 'EnrichmentOrigin',
    description: 'Source of an enriched brand’s data, and how old the data is',
  })
export type EnrichmentOrigin = z.infer<typeof EnrichmentOrigin>

/**
 * Computes when an enrichment is due again. The interval starts at the minimum and doubles each time the
 * result has not changed, up to the maximum. Until then callers get the stored one.
 */
export function computeRefreshTime(
  { found_at, unchanged_since }: EnrichmentOrigin,
  { enrichedDays, enrichedDaysMost }: Pick<Limits, 'enrichedDays' | 'enrichedDaysMost'>,
): Instant {
  const foundAt = Date.parse(found_at)
  const unchangedMs = foundAt - Date.parse(unchanged_since)
  return foundAt + Math.min(Math.max(unchangedMs, enrichedDays * DAY), enrichedDaysMost * DAY)
}

export const Enrichment = z.object({
  provider: z.enum(enrichers),
  manifest: BrandProfile,
  company: BrandCompany.exactOptional(),
})
export type Enrichment = z.infer<typeof Enrichment>
