import { updateRows } from '../../../pipeline/store/columnar.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { createTables } from '../../../pipeline/store/schema.ts'
import type { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { USE_PUBLISHED } from '../../../pipeline/store/stored-schema.ts'

/** Makes the columnar index of a record in memory, as analysts read it. */
export async function publishToMemory(record: Sqlite): Promise<Database> {
  const columnar = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1 })
  await createTables(columnar)
  await updateRows(columnar, record, -1)
  await columnar.run(USE_PUBLISHED)
  return columnar
}
