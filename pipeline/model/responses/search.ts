import { z } from 'zod'
import { PublisherDomain } from '../shared-fields.ts'
import { BrandItem, MemberName, PropertyItem } from './index.ts'

export const PublisherMatch = z
  .looseObject({
    domain: PublisherDomain,
    member: MemberName.nullable().describe('Member that the domain belongs to; null if none'),
  })
  .meta({ id: 'PublisherMatch', description: 'A publisher, and the member it belongs to, if any' })
export type PublisherMatch = z.infer<typeof PublisherMatch>

export const SearchAnswer = z
  .looseObject({
    brands: z
      .array(BrandItem)
      .describe('The best brands, five at most; `/api/brands/registry?search=` pages through all'),
    publishers: z.array(PublisherMatch).describe('The best publishers, five at most'),
    properties: z
      .array(PropertyItem)
      .describe(
        'The best properties, five at most; `/api/properties/registry?search=` pages through all',
      ),
  })
  .meta({ id: 'SearchAnswer', description: 'The best matches of each kind' })
export type SearchAnswer = z.infer<typeof SearchAnswer>

export const FoundBrands = z
  .looseObject({
    results: z
      .array(BrandItem)
      .describe('The best brands; `/api/brands/registry?search=` pages through all'),
  })
  .meta({ id: 'FoundBrands', description: 'Brands that match a text, the best first' })
export type FoundBrands = z.infer<typeof FoundBrands>
