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
