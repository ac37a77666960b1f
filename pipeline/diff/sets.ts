import type { Identifier } from '../model/documents.ts'

/** Lists that are sets, sorted, so that the order in which a file writes them says nothing. */
export function setOf(values: readonly string[] | undefined): string[] | null {
  return sortedBy(values, value => value)
}

export function sortedBy<Item>(
  items: readonly Item[] | undefined,
  key: (item: Item) => string,
): Item[] | null {
  if (items === undefined) return null
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

export function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}

export function byTypeAndValue(a: Identifier, b: Identifier): number {
  return a.type < b.type || (a.type === b.type && a.value < b.value) ? -1 : 1
}
