import { z } from 'zod'
import { BrandItem, PropertyItem } from './answers.ts'

export const PublisherMatch = z
  .looseObject({
    domain: z.string(),
    member: z.looseObject({ display_name: z.string() }).nullable(),
  })
  .meta({ id: 'PublisherMatch', description: 'A publisher, and the member it belongs to, if any' })
export type PublisherMatch = z.infer<typeof PublisherMatch>

export const SearchAnswer = z
  .looseObject({
    brands: z.array(BrandItem),
    publishers: z.array(PublisherMatch),
    properties: z.array(PropertyItem),
  })
  .meta({ id: 'SearchAnswer', description: 'The best matches of each kind' })
export type SearchAnswer = z.infer<typeof SearchAnswer>

export const FoundBrands = z
  .looseObject({ results: z.array(BrandItem) })
  .meta({ id: 'FoundBrands', description: 'Brands that match a text, the best first' })
export type FoundBrands = z.infer<typeof FoundBrands>
