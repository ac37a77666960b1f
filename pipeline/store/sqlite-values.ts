import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'

/** Value of a parameter or a column; lists and objects are stored as JSON. */
export type SqliteValue = string | number | boolean | object | null | undefined
export type SqliteParameters = Readonly<Record<string, SqliteValue>>

/** The type that an expression gives itself, as in `revoked_at is not null as "revoked [boolean]"`. */
const TYPED_NAME = /^(\w+) \[(.+)\]$/

type Decode = (value: SQLOutputValue) => unknown

const parseJson: Decode = value => (value === null ? null : JSON.parse(String(value)))

/** Conversions of stored values to JSON values, by the declared type of their column. */
const decoders: Readonly<Record<string, Decode>> = {
  boolean: value => (value === null ? null : value !== 0),
  json: parseJson,
  'varchar[]': parseJson,
}

/** Makes a row of the values of a statement. */
export type RowMaker = (values: readonly SQLOutputValue[]) => object

/** Creates a function that makes a row of a statement's values, by the types of its columns. */
export function createRowMaker(statement: StatementSync): RowMaker {
  const columns = statement.columns().map(({ name, type }) => {
    const [, plain = name, own = type ?? ''] = TYPED_NAME.exec(name) ?? []
    return { name: plain, decode: decoders[own.toLowerCase()] }
  })
  return values => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < columns.length; i++) {
      // biome-ignore lint/style/noNonNullAssertion: the index is below the length
      const { name, decode } = columns[i]!
      const value = values[i] ?? null
      row[name] = decode ? decode(value) : value
    }
    return row
  }
}

/** Converts a parameter to what SQLite takes. */
export function toParameter(value: SqliteValue): SQLInputValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? JSON.stringify(value) : value
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
      return JSON.stringify(value)
    case 'timestamptz':
      return new Date(value as string | number).toISOString()
    case 'uuid':
      return String(value).toLowerCase()
    default:
      return toParameter(value)
  }
}
