import { createHash } from 'node:crypto'

/** Converts a value to JSON whose members are sorted at every depth, so that equal values give equal texts. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** Hashes the canonical JSON of a value with SHA-256, in hex. */
export function hashCanonicalJson(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex')
}
