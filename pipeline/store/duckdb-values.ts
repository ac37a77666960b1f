/** Column metadata of a result. */
interface Columns {
  columnNames(): readonly string[]
  columnTypes(): readonly { alias?: string | undefined }[]
}

/** Makes rows of a result's values: one member a column. */
export function createRowMaker<Row>(result: Columns) {
  const names = result.columnNames()
  const json = result.columnTypes().map(type => type.alias === 'JSON')
  return (values: readonly unknown[]): Row => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) {
      const value = values[i]
      row[names[i]!] = json[i] && typeof value === 'string' ? JSON.parse(value) : toPlain(value)
    }
    return row as Row
  }
}

/** Describes the structure for from_json: lists of structs are spelled as JSON, other types by name. */
export function describeStructure(columns: [string, string][]): string {
  const shape = Object.fromEntries(columns.map(([name, type]) => [name, toShape(type)]))
  return JSON.stringify([shape]).replaceAll("'", "''")
}

function toShape(type: string): unknown {
  const list = /^(.*)\[\]$/.exec(type)
  if (list) return [toShape(list[1]!)]
  const struct = /^STRUCT\((.*)\)$/.exec(type)
  if (!struct) return type
  const members = [...struct[1]!.matchAll(/"?(\w+)"? (\w+)/g)]
  return Object.fromEntries(members.map(([, name, member]) => [name, member]))
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  return value
}
