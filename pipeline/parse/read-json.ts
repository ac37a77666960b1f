import { isUtf8 } from 'node:buffer'
import { isPersonal, stripPii } from '../core/pii.ts'
import { getLast } from '../core/present.ts'
import type { Fault } from '../model/observation.ts'
import { Faults, quote } from './faults.ts'
import { isObject, type JsonObject } from './object-reader.ts'

const NESTING_MAX = 64
const UNSTORABLE = /\\u(?:d[89a-f]|0000)/i
const ESCAPE = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u(d[89a-f][0-9a-f]{2}|0000)|\\./gis

/** The fault of bytes that cannot be decoded without a loss. */
export const NOT_UTF8 = {
  field: 'root',
  code: 'not_utf8',
  severity: 'warning',
  message: 'is not valid UTF-8, so some characters were lost: save the file as UTF-8',
} as const satisfies Fault

export type JsonRead =
  | { outcome: 'ok'; root: JsonObject }
  | { outcome: 'unusable' }
  | { outcome: 'not_json' }

/**
 * Reads bytes as one JSON object that is safe to pass on: at most 64 levels deep, no `__proto__`, no half
 * characters or NULs in any text, no email address under `email`, and nothing named `contact` below its
 * top level. Always UTF-8, whatever the headers say; a byte order mark is tolerated.
 */
export function readJson(body: Uint8Array, faults: Faults): JsonRead {
  const text = decodeText(body, faults)
  let root: unknown
  try {
    root = JSON.parse(UNSTORABLE.test(text) ? fixEscapes(text) : text)
  } catch (error) {
    faults.error('json', 'not_json', explainSyntaxError(text, error))
    return { outcome: 'not_json' }
  }
  if (!isObject(root)) {
    faults.error('root', 'not_an_object', `must be a JSON object, not ${quote(root)}`)
    return { outcome: 'unusable' }
  }
  if (!sanitize(root, 1)) {
    faults.error(
      'root',
      'too_deep',
      `is nested more than ${NESTING_MAX} levels deep: make it flatter`,
    )
    return { outcome: 'unusable' }
  }
  return { outcome: 'ok', root }
}

/** Reads a file as answers show it, without contacts; undefined if it holds no usable object. */
export function readPublicRoot(body: Uint8Array): JsonObject | undefined {
  const read = readJson(body, new Faults(1))
  return read.outcome === 'ok' ? stripPii(read.root) : undefined
}

/** Reads a file that `readJson` could read as it was written: with its contacts, and names that are left out. */
export function readWritten(body: Uint8Array): unknown {
  return JSON.parse(decodeText(body, new Faults(1)))
}

/** Decodes UTF-8 whatever the headers say; a byte order mark is tolerated. */
export function decodeText(body: Uint8Array, faults: Faults): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!isUtf8(bytes)) faults.warn(NOT_UTF8.field, NOT_UTF8.code, NOT_UTF8.message)
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** Replaces half a surrogate pair or a NUL, which no store can hold, by the replacement character. */
function fixEscapes(text: string): string {
  return text.replace(ESCAPE, (written, unstorable) =>
    unstorable === undefined ? written : '\\ufffd',
  )
}

function explainSyntaxError(text: string, error: unknown): string {
  const start = text.slice(0, 1_000).trimStart()
  if (start === '' && text.trim() === '') return 'the file is empty'
  if (start.startsWith('<'))
    return 'this is a web page, not a JSON file: replace it with the JSON itself'
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')
  if (!position) return 'is not valid JSON: run it through a JSON checker'
  const before = text.slice(0, Number(position[1])).split('\n')
  return `is not valid JSON near line ${before.length}, column ${getLast(before).length + 1}`
}

/** Cleans a node and those below it; false when it is too deep, which also bounds the recursion. */
function sanitize(node: JsonObject | unknown[], level: number): boolean {
  if (level > NESTING_MAX) return false
  if (Array.isArray(node)) {
    for (let i = 0; i < node.length; i++) if (!sanitizeValue(node[i], level)) return false
    return true
  }
  for (const key in node) {
    const value = node[key]
    if (isUnwanted(key, value, level)) delete node[key]
    else if (!sanitizeValue(value, level)) return false
  }
  return true
}

function sanitizeValue(value: unknown, level: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return sanitize(value as JsonObject | unknown[], level + 1)
}

function isUnwanted(key: string, value: unknown, level: number): boolean {
  if (key === '__proto__') return true
  return isPersonal(key, value) && (key !== 'contact' || level > 1)
}
