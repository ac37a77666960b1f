import { z } from 'zod'

const text = z.string()
const texts = z.array(text)

/** What somebody other than the brand's own document says of a brand: shown, never believed. */
export const BrandProfile = z
  .looseObject({
    name: text,
    url: text,
    description: text.exactOptional(),
    tagline: text.exactOptional(),
    tone: text.exactOptional(),
    logos: z.array(z.looseObject({ url: text, tags: texts })).exactOptional(),
    /** Role, such as `primary` → `#RRGGBB`. */
    colors: z.record(text, z.unknown()).exactOptional(),
    fonts: z.array(z.looseObject({ name: text, role: text.exactOptional() })).exactOptional(),
    /** Addresses of the brand's accounts elsewhere. */
    social: texts.exactOptional(),
  })
  .meta({ id: 'BrandProfile', description: 'Names, logos, colours and words of a brand' })
export type BrandProfile = z.infer<typeof BrandProfile>

export const BrandCompany = z
  .looseObject({
    name: text.exactOptional(),
    industry: text.exactOptional(),
    industries: texts.exactOptional(),
    employees: text.exactOptional(),
    founded: z.int().exactOptional(),
    location: text.exactOptional(),
  })
  .meta({ id: 'BrandCompany', description: 'The company behind a brand' })
export type BrandCompany = z.infer<typeof BrandCompany>

/** Who may be asked about a brand: a provider of such data, or the brand's own home page. */
export const enrichers = ['brandfetch', 'home_page'] as const

export const Enrichment = z.object({
  provider: z.enum(enrichers),
  manifest: BrandProfile,
  company: BrandCompany.exactOptional(),
})
export type Enrichment = z.infer<typeof Enrichment>
