import { readFileSync } from 'node:fs'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../pipeline/store/columnar/schema.ts'

const DATA_SET = 'data/views/data_set.sql'

/** Parts of the data set that programs rely on: its version, and the columns of each table with their types. */
export interface PublishedSchema {
  version: number
  tables: Record<string, Record<string, string>>
}

export async function readPublishedSchema(): Promise<PublishedSchema> {
  const db = await Database.open(':memory:')
  try {
    await createTables(db)
    const columns = await db.all<{ table_name: string; column_name: string; data_type: string }>(
      `select table_name, column_name, data_type from duckdb_columns()
       where not internal and schema_name = 'main' order by table_name, column_index`,
    )
    const [, version] =
      /select (\d+)::uinteger as format/.exec(readFileSync(DATA_SET, 'utf8')) ?? []
    const byTable = Map.groupBy(columns, column => column.table_name)
    const tables = [...byTable].map(([table, of]) => [
      table,
      Object.fromEntries(of.map(({ column_name, data_type }) => [column_name, toType(data_type)])),
    ])
    return { version: Number(version), tables: Object.fromEntries(tables) }
  } finally {
    db.close()
  }
}

/** Leaves out the values of an enum: their list may grow, and readers of Parquet see text. */
const toType = (type: string) => (type.startsWith('ENUM(') ? 'ENUM' : type)

/** Lists what breaks a reader of the recorded schema: tables and columns that are gone or of another type. */
export function listBreaches(recorded: PublishedSchema, current: PublishedSchema): string[] {
  if (recorded.version !== current.version) return []
  return Object.entries(recorded.tables).flatMap(([table, columns]) => {
    const now = current.tables[table]
    if (now === undefined) return [`${table} is gone`]
    return Object.entries(columns).flatMap(([column, type]) => {
      if (now[column] === type) return []
      const what = now[column] === undefined ? 'is gone' : `is ${now[column]}, and was ${type}`
      return [`${table}.${column} ${what}`]
    })
  })
}

/**
 * Renders the recorded schema from the current one. Refuses a change that would break readers, unless the
 * version of the data set rises with it (`DATA_SET`).
 */
export async function renderPublishedSchema(recorded: string): Promise<string> {
  const current = await readPublishedSchema()
  const breaches =
    recorded === '' ? [] : listBreaches(JSON.parse(recorded) as PublishedSchema, current)
  if (breaches.length > 0)
    throw new Error(
      `Within version ${current.version} of the data set columns are only added: ${breaches.join('; ')}. ` +
        'Keep them, or raise the format in ' +
        `${DATA_SET}.`,
    )
  return `${JSON.stringify(current, null, 1)}\n`
}
