import type { Identifier } from '../model/documents/index.ts'

/** Sorts a list whose order in the file means nothing; null if it is absent. */
export function sortOptional(values: readonly string[] | undefined): string[] | null {
  return sortBy(values, value => value)
}

/** Sorts items by a key whose order means nothing; null if the list is absent. */
export function sortBy<Item>(
  items: readonly Item[] | undefined,
  key: (item: Item) => string,
): Item[] | null {
  if (items === undefined) return null
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

/** Sorts texts and removes repeats. */
export function sortDistinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}

/** Compares identifiers for sorting. */
export function compareTypeAndValue(a: Identifier, b: Identifier): number {
  return a.type < b.type || (a.type === b.type && a.value < b.value) ? -1 : 1
}
