import type { SQLInputValue } from 'node:sqlite'

/** Value of a parameter or a column; lists and objects are stored as JSON. */
export type SqliteValue = string | number | boolean | object | null | undefined
export type SqliteParameters = Readonly<Record<string, SqliteValue>>

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
      return JSON.stringify(value)
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
