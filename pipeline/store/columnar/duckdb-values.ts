export type Parameters = Readonly<Record<string, string | number | boolean | null>>

/** Tells whether a statement names a parameter; those that it does not name are dropped. */
export function isNamed(sql: string, name: string): boolean {
  const at = sql.indexOf(`$${name}`)
  return at >= 0 && new RegExp(`\\$${name}(?!\\w)`).test(sql)
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

/** Converts a DuckDB type, such as `STRUCT(a VARCHAR)[]`, to what `from_json` takes: lists and structs as JSON, other types by name. */
export function toShape(type: string): unknown {
  const list = /^(.*)\[\]$/.exec(type)
  if (list) return [toShape(list[1] ?? '')]
  const struct = /^STRUCT\((.*)\)$/i.exec(type)
  if (!struct) return type
  const members = [...(struct[1] ?? '').matchAll(/"?(\w+)"? (\w+)/g)]
  return Object.fromEntries(members.map(([, name, member]) => [name, member]))
}

/**
 * Builds SQL that reads a list from one parameter: `where x in (select unnest(${toListExpression('$xs')}))`.
 */
export function toListExpression(parameter: string): string {
  return `from_json(${parameter}::varchar, '["VARCHAR"]')`
}
