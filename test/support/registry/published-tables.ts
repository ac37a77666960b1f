import { updateRows } from '../../../pipeline/store/columnar/columnar.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { toShape } from '../../../pipeline/store/columnar/duckdb-values.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { USE_PUBLISHED } from '../../../pipeline/store/columnar/stored-schema.ts'
import type { Sqlite } from '../../../pipeline/store/sqlite.ts'

/** Makes the columnar index of a record in memory, as analysts read it. */
export async function publishToMemory(record: Sqlite): Promise<Database> {
  const columnar = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1 })
  await createTables(columnar)
  await updateRows(columnar, record, -1)
  await columnar.run(USE_PUBLISHED)
  return columnar
}

/** Inserts rows of JSON values into a table of DuckDB, each keyed by column name; absent keys become null. */
export async function insertRows(db: Database, table: string, rows: readonly object[]) {
  const types = [...(await db.describe(table))].map(([name, type]) => [name, toShape(type)])
  const shape = JSON.stringify([Object.fromEntries(types)]).replaceAll("'", "''")
  await db.run(
    `insert into ${table} by name
     select unnest(from_json($rows::varchar, '${shape}'), recursive := true)`,
    { rows: JSON.stringify(rows) },
  )
}
