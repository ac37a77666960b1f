import type { PropertyItem } from '../../model/answers.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { foundPropertyOf } from './properties.ts'

/** The best matches of each kind, each a list of items as JSON. */
export async function searchEverything(
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<{ brands: string[]; publishers: string[]; properties: string[] }> {
  const properties = await index.best('properties', text, limit)
  return {
    brands: await index.best('brands', text, limit),
    publishers: await index.best('publishers', text, limit),
    properties: properties.map(item =>
      JSON.stringify(foundPropertyOf(JSON.parse(item) as PropertyItem)),
    ),
  }
}

/** Brands that match a text, the best first, as JSON. */
export function findBrands(index: SearchIndex, text: string, limit: number): Promise<string[]> {
  return index.best('brands', text, limit)
}
