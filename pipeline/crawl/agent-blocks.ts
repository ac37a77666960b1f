import { clip } from '../parse/clip.ts'
import { isObject, type JsonObject, type ObjectReader } from '../parse/object-reader.ts'

const NESTING_MAX = 12
const ITEMS_MAX = 1_000
const KEY_CHARS = 128
const TEXT_CHARS = 2_000

/**
 * Sanitizes a part of a peer's answer that is passed on as written: texts cleaned and cut, lists bounded,
 * members nested too deeply dropped.
 */
export function sanitizeBlock(block: JsonObject): JsonObject {
  return sanitize(block, 1) as JsonObject
}

function sanitize(value: unknown, level: number): unknown {
  if (typeof value === 'string') return clip(value, TEXT_CHARS) ?? ''
  if (typeof value !== 'object' || value === null) return value
  if (level > NESTING_MAX) return null
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(item => sanitize(item, level + 1))
  const sanitizedMembers = Object.entries(value)
    .slice(0, ITEMS_MAX)
    .filter(([key]) => key !== '__proto__' && clip(key, KEY_CHARS) === key)
    .map(([key, member]) => [key, sanitize(member, level + 1)])
  return Object.fromEntries(sanitizedMembers)
}

/** Reads the sorted distinct short texts of a list; anything else is dropped. */
export function readTokens(list: unknown, max = 200): string[] {
  if (!Array.isArray(list)) return []
  const tokens = list.slice(0, max).flatMap(item => clip(item, 128) ?? [])
  return [...new Set(tokens)].sort()
}

/** Reads a member that is an object; returns an empty one otherwise. */
export function readBlock(holder: JsonObject, key: string): JsonObject {
  const value = holder[key]
  return isObject(value) ? value : {}
}

/** Tells whether a task answered with the requested list; an empty list counts. */
export function hasList(part: ObjectReader, key: string): boolean {
  if (!part.has(key))
    part.error(key, 'missing', 'is missing: use an empty list if there is nothing')
  return part.list(key) !== undefined
}

export function measureBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
