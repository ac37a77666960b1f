import { toShape } from './duckdb.ts'

/** Tells whether the record keeps the values of a type as texts. */
export function isText(type: string): boolean {
  return !/^(instant|boolean|u?(tiny|small|big)?int(eger)?|double)$/.test(type)
}

/** Builds SQL that reads a value of a DuckDB type from the form in which the record keeps it. */
export function buildDecode(column: string, type: string): string {
  if (type === 'TIMESTAMP WITH TIME ZONE') return `make_timestamptz((${column} * 1000)::bigint)`
  if (type === 'BOOLEAN') return `${column} <> 0`
  if (type === 'VARCHAR') return column
  if (type === 'JSON') return `${column}::json`
  if (type.endsWith('[]')) {
    const shape = JSON.stringify(toShape(type)).replaceAll("'", "''")
    return `from_json(${column}, '${shape}')`
  }
  return `${column}::${type}`
}
