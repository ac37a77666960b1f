/** Items that a list may have at the first attempt; each further one allows a quarter. */
const FIRST_ITEMS_MAX = 1_024
/** Members that an object may always have: a record loses long values before it loses a field. */
const MEMBERS_MIN = 64
/** Characters of a text for each item of a list, and the fewest of all. */
const CHARS_PER_ITEM = 8
const TEXT_CHARS_MIN = 8

export interface Truncated<Value> {
  value: Value
  /** True if anything was left out; a text that was cut ends with `…`. */
  truncated: boolean
}

/**
 * Truncates a JSON value to at most `maxBytes` of UTF-8: lists, texts and large objects are cut shorter in
 * each round, until the value fits. Undefined when it does not even fit with one item per list.
 */
export function truncateJson<Value>(value: Value, maxBytes: number): Truncated<Value> | undefined {
  if (measureBytes(value) <= maxBytes) return { value, truncated: false }
  for (let items = FIRST_ITEMS_MAX; items >= 1; items /= 4) {
    const chars = Math.max(TEXT_CHARS_MIN, items * CHARS_PER_ITEM)
    const short = cut(value, items, chars) as Value
    if (measureBytes(short) <= maxBytes) return { value: short, truncated: true }
  }
  return undefined
}

/** Measures a value as JSON, in bytes of UTF-8. */
export function measureBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** Cuts the lists, texts and objects of a value, at every depth. */
function cut(value: unknown, items: number, chars: number): unknown {
  if (typeof value === 'string') return value.length > chars ? `${value.slice(0, chars)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, items).map(item => cut(item, items, chars))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, Math.max(items, MEMBERS_MIN))
      .map(([key, member]) => [key, cut(member, items, chars)]),
  )
}
