import type { JsonObject } from './part.ts'

const OWN_FIELDS = 64
const UNTOLD = new Set(['$schema', 'last_updated'])
const SEEDS = [0x2545f491, 0x9e3779b9] as const

/**
 * Top-level key → short hash of its value, equal for values that differ in the order of their keys
 * only. A file with more than 64 fields has the others hashed together under `…`. The hash tells
 * changes by accident or intent of one publisher apart; whoever forged one would only hide which of
 * his own fields he changed.
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

/** 64 bits as 16 hex digits. The value must be a tree of bounded depth. */
export function shortHash(value: unknown): string {
  return SEEDS.map(seed => (finish(mix(value, seed)) >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Members of an object are added up, so their order does not count; items of a list are chained. */
function mix(value: unknown, seed: number): number {
  if (typeof value === 'string') return mixText(value, seed ^ 1)
  if (typeof value !== 'object' || value === null) return mixText(String(value), seed ^ 2)
  if (Array.isArray(value)) {
    let hash = seed ^ 3
    for (const item of value) hash = Math.imul(finish(hash) ^ mix(item, seed), 0x01000193)
    return hash
  }
  let hash = seed ^ 4
  for (const key in value) {
    hash = (hash + finish(mixText(key, seed) ^ mix((value as JsonObject)[key], seed ^ 5))) | 0
  }
  return hash
}

function mixText(text: string, seed: number): number {
  let hash = seed ^ text.length
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1e995)
  return finish(hash)
}

function finish(hash: number): number {
  const high = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const low = Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  return low ^ (low >>> 16)
}
