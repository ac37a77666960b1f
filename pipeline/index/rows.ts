import type { Change } from '../diff/diff.ts'
import type { Database } from './duckdb.ts'
import { oneOf } from './one-of.ts'

/** Deletes rows by key. Deleting and inserting again is how DuckDB changes scattered rows fastest. */
export async function deleteRows(
  db: Database,
  table: string,
  column: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const gone = oneOf(`${column}::varchar`, keys)
  await db.run(`delete from ${table} where ${gone.condition}`, gone.keys, 'kept')
}

/** Makes a table agree with what changed: nothing else of it is touched. */
export async function writeChanges<Row extends object>(
  db: Database,
  table: string,
  key: keyof Row & string,
  changes: readonly Change<Row>[],
): Promise<void> {
  const gone = changes.flatMap(change => (change.kind === 'added' ? [] : [String(change.old[key])]))
  await deleteRows(db, table, key, gone)
  await db.insert(
    table,
    changes.flatMap(change => (change.kind === 'removed' ? [] : [change.row])),
  )
}
