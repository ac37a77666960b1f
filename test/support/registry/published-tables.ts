import { updateRows } from '../../../pipeline/store/columnar/columnar.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
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
