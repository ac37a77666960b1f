import { clip } from './clip.ts'
import { isObject, type JsonObject, type Part } from './part.ts'

const MAX_LEVELS = 12
const MAX_ITEMS = 1_000
const KEY_CHARS = 128
const TEXT_CHARS = 2_000

/**
 * A part of a peer's answer that is handed on as written: texts cleaned and cut, lists bounded, and
 * what lies too deep left out.
 */
export function tamed(block: JsonObject): JsonObject {
  return tame(block, 1) as JsonObject
}

function tame(value: unknown, level: number): unknown {
  if (typeof value === 'string') return clip(value, TEXT_CHARS) ?? ''
  if (typeof value !== 'object' || value === null) return value
  if (level > MAX_LEVELS) return null
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(item => tame(item, level + 1))
  const tamedMembers = Object.entries(value)
    .slice(0, MAX_ITEMS)
    .filter(([key]) => key !== '__proto__' && clip(key, KEY_CHARS) === key)
    .map(([key, member]) => [key, tame(member, level + 1)])
  return Object.fromEntries(tamedMembers)
}

/** The sorted distinct short texts of a list; anything else is left out. */
export function wordsOf(list: unknown, most = 200): string[] {
  if (!Array.isArray(list)) return []
  const words = list.slice(0, most).flatMap(item => clip(item, 128) ?? [])
  return [...new Set(words)].sort()
}

/** A member that is an object; an empty one otherwise. */
export function blockOf(holder: JsonObject, key: string): JsonObject {
  const value = holder[key]
  return isObject(value) ? value : {}
}

/** Whether the list is there that a task was asked for; where there is nothing to list it is empty. */
export function hasList(part: Part, key: string): boolean {
  if (!part.has(key)) part.error(key, 'missing', 'is missing: list nothing if there is nothing')
  return part.list(key) !== undefined
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
