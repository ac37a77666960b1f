import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { FileKind } from '../model/observation.ts'
import { findLead } from '../resolve/leads-to.ts'
import { defineIdentifierFunctions } from './identifier-functions.ts'

const options = { deterministic: true }
const varargs = { ...options, varargs: true }

/** Defines the functions that statements use beside those of SQLite. */
export function defineFunctions(db: DatabaseSync): void {
  defineIdentifierFunctions(db)
  // Null for a file that speaks for itself.
  db.function('leads_to', options, (kind, location, document) => {
    const text = { location: String(location), document: String(document) }
    return findLead({ kind: kind as FileKind, ...text }) ?? null
  })
  // Cuts the rows of a table into slices, and spreads times.
  db.function('crc32', options, value => crc32(String(value)))
  db.function('ms', options, value => (value === null ? null : Date.parse(String(value))))
  db.function('least', varargs, (...values) => pick(values, (a, b) => a < b))
  db.function('greatest', varargs, (...values) => pick(values, (a, b) => a > b))
  db.function('starts_with', options, (text, start) =>
    Number(String(text).startsWith(String(start))),
  )
  db.function('ends_with', options, (text, end) => Number(String(text).endsWith(String(end))))
  db.function('contains', options, (text, part) => Number(String(text).includes(String(part))))
  // UTC day of an id of version 7.
  db.function('day_of_id', options, id => {
    const ms = Number.parseInt(String(id).replace('-', '').slice(0, 12), 16)
    return new Date(ms).toISOString().slice(0, 10)
  })
  db.function('split_part', options, (text, separator, place) => {
    return String(text ?? '').split(String(separator))[Number(place) - 1] ?? ''
  })
  db.function('regexp_extract', options, (text, pattern, group) => {
    return getRegExp(String(pattern)).exec(String(text ?? ''))?.[Number(group)] ?? ''
  })
  db.function('regexp_matches', options, (text, pattern) => {
    return text === null ? null : Number(getRegExp(String(pattern)).test(String(text)))
  })
}

/** Picks the value that comes before all others; null counts as absent. */
function pick(
  values: readonly SQLOutputValue[],
  isBefore: (a: number | string, b: number | string) => boolean,
): SQLOutputValue {
  const known = values.filter(value => value !== null) as (number | string)[]
  return known.length === 0 ? null : known.reduce((a, b) => (isBefore(b, a) ? b : a))
}

const patterns = new Map<string, RegExp>()
const PATTERNS_MAX = 100

function getRegExp(pattern: string): RegExp {
  const known = patterns.get(pattern)
  if (known) return known
  if (patterns.size >= PATTERNS_MAX) patterns.clear()
  const made = new RegExp(pattern)
  patterns.set(pattern, made)
  return made
}
