const TEXT_CHARS_MIN = 8

export interface Truncated<Value> {
  value: Value
  truncated: boolean
}

/**
 * Truncates a JSON value to at most so many bytes: long lists and texts are cut, more and more, until it
 * fits. Undefined when not even its frame does.
 */
export function truncateJson<Value>(value: Value, maxBytes: number): Truncated<Value> | undefined {
  if (measureBytes(value) <= maxBytes) return { value, truncated: false }
  for (let items = 1_024; items >= 1; items /= 4) {
    const short = cut(value, items, Math.max(TEXT_CHARS_MIN, items * 8)) as Value
    if (measureBytes(short) <= maxBytes) return { value: short, truncated: true }
  }
  return undefined
}

export function measureBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

function cut(value: unknown, items: number, chars: number): unknown {
  if (typeof value === 'string') return value.length > chars ? `${value.slice(0, chars)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, items).map(item => cut(item, items, chars))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, Math.max(items, 64))
      .map(([key, member]) => [key, cut(member, items, chars)]),
  )
}
