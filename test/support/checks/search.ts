import { mkdirSync } from 'node:fs'
import { CollectionBuilder } from '../../../pipeline/search/collection-builder.ts'
import { fold, splitWords } from '../../../pipeline/search/fold.ts'
import { PartsWriter } from '../../../pipeline/search/parts-writer.ts'
import type { SearchEntry } from '../../../pipeline/search/search-entries.ts'
import { SEARCH_FORMAT, SearchIndex } from '../../../pipeline/search/search-index.ts'
import { cleanUp, createDataDir } from '../registry/registry.ts'

/** Names of a brand, and the house it belongs to. */
export interface Named {
  names: string[]
  house?: string
}

/** Builds a search index of brands; each item is the number of its brand. */
export async function buildSearchIndex(brands: readonly Named[]): Promise<SearchIndex> {
  const folder = createDataDir()
  mkdirSync(folder, { recursive: true })
  const path = `${folder}/test.search`
  const file = new PartsWriter(path)
  const builder = new CollectionBuilder(file)
  for (const [number, named] of brands.entries()) builder.add(toEntry(named, number))
  const collections = {
    brands: builder.finish(),
    publishers: new CollectionBuilder(file).finish(),
    properties: new CollectionBuilder(file).finish(),
    agents: new CollectionBuilder(file).finish(),
  }
  file.end({ format: SEARCH_FORMAT, collections })
  const index = SearchIndex.open(path, 1)
  cleanUp(() => index.close())
  return index
}

function toEntry({ names, house }: Named, number: number): SearchEntry {
  return {
    names: foldNames(names),
    aliases: foldNames(house === undefined ? [] : [house]),
    flags: number % 3,
    item: { number },
  }
}

function foldNames(names: readonly string[]): string[] {
  return [...new Set(names.map(fold))].filter(text => text !== '')
}

/** Finds the brands that contain a text by looking at each, best first; returns their numbers. */
export function findLiteralMatches(brands: readonly Named[], text: string): number[] {
  const asked = fold(text)
  const ranks = brands.map(({ names, house = '' }) => {
    const called = foldNames(names)
    if (called.includes(asked)) return 0
    if (called.some(name => name.startsWith(asked))) return 1
    return [...called, fold(house)].some(name => name.includes(asked)) ? 2 : 3
  })
  return [0, 1, 2].flatMap(rank => ranks.flatMap((own, number) => (own === rank ? [number] : [])))
}

/** Finds the brands in which every word of a text occurs within one edit; returns their numbers. */
export function findNearMatches(brands: readonly Named[], text: string): number[] {
  const asked = [...new Set(splitWords(fold(text)))]
  if (asked.length === 0) return []
  const isMeant = (known: readonly string[]) =>
    asked.every(word => known.some(other => word === other || isMisspelled(word, other)))
  return brands.flatMap(({ names, house = '' }, number) =>
    isMeant([...names, house].flatMap(name => splitWords(fold(name)))) ? [number] : [],
  )
}

function isMisspelled(word: string, meant: string): boolean {
  const characters = [...meant]
  return (
    characters.length >= 4 && [...word].length >= 3 && measureDistance([...word], characters) <= 1
  )
}

/** Measures the edit distance of two words by the textbook's table; swapped neighbours count as one edit. */
function measureDistance(a: readonly string[], b: readonly string[]): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      }
      row.push(least)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
