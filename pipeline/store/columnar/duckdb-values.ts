import { type DuckDBPreparedStatement, DuckDBTypeId } from '@duckdb/node-api'

export type Parameter = string | number | boolean | null
export type Parameters = Readonly<Record<string, Parameter>>
export type Cell = Parameter | undefined

/** Tells whether a statement names a parameter; those that it does not name are dropped. */
export function isNamed(sql: string, name: string): boolean {
  const at = sql.indexOf(`$${name}`)
  return at >= 0 && new RegExp(`\\$${name}(?!\\w)`).test(sql)
}

/** Binds parameters, numbers as the type that the statement expects: another type would be planned again. */
export function bindAs(statement: DuckDBPreparedStatement, parameters: Parameters): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    // biome-ignore lint/style/noNonNullAssertion: callers give every parameter of their statement
    const value = parameters[statement.parameterName(index)]!
    if (typeof value !== 'number') statement.bindValue(index, value)
    else if (statement.parameterTypeId(index) === DuckDBTypeId.BIGINT) {
      statement.bindBigInt(index, BigInt(value))
    } else statement.bindDouble(index, value)
  }
}

/** Column metadata of a result. */
interface Columns {
  columnNames(): readonly string[]
  columnTypes(): readonly { alias?: string | undefined }[]
}

/** Creates a function that converts the values of a row to an object with a member for each column. */
export function createRowMaker<Row>(result: Columns) {
  const names = result.columnNames()
  const json = result.columnTypes().map(type => type.alias === 'JSON')
  return (values: readonly unknown[]): Row => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) {
      const value = values[i]
      // biome-ignore lint/style/noNonNullAssertion: the index is below the length
      row[names[i]!] = json[i] && typeof value === 'string' ? JSON.parse(value) : toPlain(value)
    }
    return row as Row
  }
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  return value
}
