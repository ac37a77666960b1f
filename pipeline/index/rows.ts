import { type Database, listOf } from './duckdb.ts'

/** Deletes rows by key. Deleting and inserting again is how DuckDB changes scattered rows fastest. */
export async function deleteRows(
  db: Database,
  table: string,
  column: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  await db.run(
    `delete from ${table} where ${column}::varchar in (select unnest(${listOf('$keys')}))`,
    { keys: JSON.stringify(keys) },
  )
}
