import type { SQLInputValue } from 'node:sqlite'

/** Value of a parameter or a column; lists and objects are stored as JSON. */
export type SqliteValue = string | number | boolean | object | null | undefined
export type SqliteParameters = Readonly<Record<string, SqliteValue>>

/** Code by which SQLite refuses a value of a type that a column cannot have. */
const SQLITE_MISMATCH = 20

/** Half a surrogate pair, which `JSON.stringify` escapes; an escaped backslash before it is no such thing. */
const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/**
 * Writes a value as JSON. Throws as SQLite does for a value that it refuses where a text has half a surrogate pair: SQLite would
 * take it, and DuckDB refuse every publication.
 */
export function toJson(value: object | SqliteValue): string {
  const text = JSON.stringify(value)
  if (text.includes('\\ud') && HALF_PAIR.test(text)) {
    throw Object.assign(new Error('a text has half a surrogate pair'), { errcode: SQLITE_MISMATCH })
  }
  return text
}

/**
 * Converts a value to the one form that its column stores: times compare as texts, and ids as they are
 * written most often.
 */
export function toStored(value: SqliteValue, type: string): SQLInputValue {
  if (value === undefined || value === null) return null
  switch (type) {
    case 'json':
    case 'varchar[]':
    case 'uuid[]':
      return toJson(value)
    case 'timestamptz':
      return new Date(value as string | number).toISOString()
    case 'instant':
      return typeof value === 'number' ? value : Date.parse(String(value))
    case 'uuid':
      return String(value).toLowerCase()
    case 'boolean':
      return value ? 1 : 0
    default:
      return value as SQLInputValue
  }
}
