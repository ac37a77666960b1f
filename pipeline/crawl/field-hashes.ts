import { shortHash } from '../core/short-hash.ts'
import type { JsonObject } from './part.ts'

const OWN_FIELDS = 64
const UNTOLD = new Set(['$schema', 'last_updated'])

/**
 * Top-level key → short hash of its value. One of `lists` that is empty, or no list, is as if it were
 * not there. A file with more than 64 fields has the others hashed together under `…`. The hash tells
 * changes by accident or intent of one publisher apart; whoever forged one would only hide which of
 * his own fields he changed.
 */
export function fieldHashes(root: JsonObject, lists: ReadonlySet<string>): Record<string, string> {
  const fields: Record<string, string> = {}
  const keys = Object.keys(root).filter(key => !UNTOLD.has(key))
  for (const key of keys.slice(0, OWN_FIELDS)) {
    const value = root[key]
    const saysNothing = lists.has(key) && !(Array.isArray(value) && value.length > 0)
    if (!saysNothing) fields[key] = shortHash(value)
  }
  const others = keys.slice(OWN_FIELDS)
  if (others.length > 0) {
    fields['…'] = shortHash(Object.fromEntries(others.map(key => [key, root[key]])))
  }
  return fields
}
