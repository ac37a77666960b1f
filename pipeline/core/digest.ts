import { createHash } from 'node:crypto'

/** JSON of which the order of members says nothing: equal values are spelled alike. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** SHA-256 of a value's canonical JSON, in hex. */
export function hashCanonicalJson(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex')
}
