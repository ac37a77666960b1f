import type { Identifier } from '../model/documents/index.ts'

/** Sorts a list that is a set, so that its order in a file means nothing. */
export function toSortedSet(values: readonly string[] | undefined): string[] | null {
  return sortBy(values, value => value)
}

export function sortBy<Item>(
  items: readonly Item[] | undefined,
  key: (item: Item) => string,
): Item[] | null {
  if (items === undefined) return null
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

export function sortStrings(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}

export function compareTypeAndValue(a: Identifier, b: Identifier): number {
  return a.type < b.type || (a.type === b.type && a.value < b.value) ? -1 : 1
}
