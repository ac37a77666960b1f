import { hashStructure } from '../core/structural-hash.ts'
import type { JsonObject } from './object-reader.ts'

const FIELDS_MAX = 64
const IGNORED_FIELDS = new Set(['$schema', 'last_updated'])

/**
 * Hashes the value of each top-level key, whatever the order of its sets. An invalid or empty one of
 * `lists` counts as absent. If a file has more than 64 fields, the others are hashed together under `…`.
 * The hash detects changes of one publisher's file, by accident or intent; whoever forged one would only
 * hide which of his own fields he changed.
 */
export function hashFields(root: JsonObject, lists: ReadonlySet<string>): Record<string, string> {
  const fields: Record<string, string> = {}
  const keys = Object.keys(root).filter(key => !IGNORED_FIELDS.has(key))
  for (const key of keys.slice(0, FIELDS_MAX)) {
    const value = root[key]
    const isEmptyList = lists.has(key) && !(Array.isArray(value) && value.length > 0)
    if (!isEmptyList) fields[key] = hashStructure({ [key]: value })
  }
  const others = keys.slice(FIELDS_MAX)
  if (others.length > 0) {
    fields['…'] = hashStructure(Object.fromEntries(others.map(key => [key, root[key]])))
  }
  return fields
}
