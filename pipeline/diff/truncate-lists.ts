/** Items of a list in an event; a flag says whether there are more. */
export const LIST_ITEMS_MAX = 200

/** Cuts long lists, including nested ones: the index has them whole. */
export function truncateLists(record: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    if (!Array.isArray(value)) return [[name, value]]
    const truncated = value
      .slice(0, LIST_ITEMS_MAX)
      .map(item => (isRecord(item) ? truncateLists(item) : item))
    return value.length <= LIST_ITEMS_MAX
      ? [[name, truncated]]
      : [
          [name, truncated],
          [`${name}_total`, value.length],
          [`${name}_truncated`, true],
        ]
  })
  return Object.fromEntries(entries)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
