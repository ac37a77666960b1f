import { hash } from 'node:crypto'
import type { JsonObject } from './part.ts'

const HASH_CHARS = 16
const OWN_FIELDS = 64
const PLAIN = /^[ !#-[\]-~]*$/
const UNTOLD = new Set(['$schema', 'last_updated'])

/**
 * Top-level key → short hash of its value, equal for values that differ in the order of their keys
 * only. A file with more than 64 fields has the others hashed together under `…`.
 */
export function fieldHashes(root: JsonObject, lists: ReadonlySet<string>): Record<string, string> {
  const fields: Record<string, string> = {}
  const keys = Object.keys(root).filter(key => !UNTOLD.has(key))
  for (const key of keys.slice(0, OWN_FIELDS)) {
    const value = root[key]
    fields[key] = shortHash(lists.has(key) && !Array.isArray(value) ? [] : value)
  }
  const others = keys.slice(OWN_FIELDS)
  if (others.length > 0) {
    fields['…'] = shortHash(Object.fromEntries(others.map(key => [key, root[key]])))
  }
  return fields
}

function shortHash(value: unknown): string {
  return hash('sha256', canonicalJson(value)).slice(0, HASH_CHARS)
}

/** JSON with the keys of every object in order. The value must be a tree of bounded depth. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `,${canonicalJson(item)}`
    return `[${text.slice(1)}]`
  }
  const object = value as JsonObject
  for (const key of Object.keys(object).sort()) {
    text += `,${quoted(key)}:${canonicalJson(object[key])}`
  }
  return `{${text.slice(1)}}`
}

/** Most texts need no escape, and to see that is quicker than to look for one. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
