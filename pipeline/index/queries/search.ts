import { type SearchIndex, shelfNames } from '../search/search-index.ts'
import { foundPropertyOf } from './properties.ts'

/** The best matches of each kind, each a list of items as JSON. */
export async function searchEverything(
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<{ brands: string[]; publishers: string[]; properties: string[] }> {
  const found = await index.best(shelfNames, text, limit)
  return { ...found, properties: found.properties.map(foundPropertyOf) }
}

/** Brands that match a text, the best first, as JSON. */
export async function findBrands(
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<string[]> {
  return (await index.best(['brands'], text, limit)).brands
}
