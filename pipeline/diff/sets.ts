import type { Identifier } from '../model/documents/index.ts'

/** Sorts texts, so that lists with the same texts in another order are equal; null for an absent list. */
export function sortOptional(values: readonly string[] | undefined): string[] | null {
  return sortBy(values, value => value)
}

/** Sorts items by a key, so that lists with the same items in another order are equal; null for an absent list. */
export function sortBy<Item>(
  items: readonly Item[] | undefined,
  key: (item: Item) => string,
): Item[] | null {
  if (items === undefined) return null
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

/** Sorts texts and removes duplicates. */
export function sortDistinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}

/** Compares two different identifiers by type, then value, for `sort`. */
export function compareTypeAndValue(a: Identifier, b: Identifier): number {
  return a.type < b.type || (a.type === b.type && a.value < b.value) ? -1 : 1
}
