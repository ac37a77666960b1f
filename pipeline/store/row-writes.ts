import type { Change } from '../diff/diff.ts'
import type { Database } from './database.ts'
import { inList } from './in-list.ts'

/** Deletes the rows with these keys. */
export async function deleteRows(
  db: Database,
  table: string,
  column: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  db.notes?.noteDeleted(table, keys)
  const gone = inList(`${column}`, keys)
  await db.write('delete from', table, `where ${gone.condition}`, gone.keys)
}

/**
 * Updates rows in place, by a unique key, and only the columns in which any of them differs. For a few rows
 * this is cheaper than `writeChanges`, which takes two statements and writes whole rows.
 */
export async function updateRows<Row extends object>(
  db: Database,
  table: string,
  key: keyof Row & string,
  changes: readonly { old: Row; row: Row }[],
): Promise<void> {
  const completed = changes.map(({ old, row }) => ({
    old,
    row: { ...toNullRow(old), ...row } as Row,
  }))
  const fresh = completed.map(({ row }) => row)
  const changed = new Set(completed.flatMap(({ old, row }) => listDiffering(old, row)))
  if (changed.size > 0) await db.update(table, key, [...changed], fresh)
}

/** Lists the columns in which a row differs from the one before. */
function listDiffering<Row extends object>(old: Row, row: Row): string[] {
  const columns = Object.keys(row) as (keyof Row & string)[]
  return columns.filter(column => !isSame(old[column] ?? null, row[column] ?? null))
}

function isSame(a: unknown, b: unknown): boolean {
  const areBoth = typeof a === 'object' && a !== null && typeof b === 'object' && b !== null
  return a === b || (areBoth && JSON.stringify(a) === JSON.stringify(b))
}

/** Sets every column to null, so that one which the new row lacks is cleared. */
function toNullRow(row: object): object {
  return Object.fromEntries(Object.keys(row).map(column => [column, null]))
}

/** Applies changes to a table: rows that changed are deleted and inserted again, by a unique key. */
export async function writeChanges<Row extends object>(
  db: Database,
  table: string,
  key: keyof Row & string,
  changes: readonly Change<Row>[],
): Promise<void> {
  const removed = changes.flatMap(change =>
    change.kind === 'added' ? [] : [String(change.old[key])],
  )
  await deleteRows(db, table, key, removed)
  await db.insert(
    table,
    changes.flatMap(change => (change.kind === 'removed' ? [] : [change.row])),
  )
}
