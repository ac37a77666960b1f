import { existsSync, rmSync } from 'node:fs'
import { isFoundBySeq, LOG, listColumnarTables } from './columnar-log.ts'
import { TableRows } from './columnar-rows.ts'
import { isDeclared } from './definitions.ts'
import { Database } from './duckdb.ts'
import { createTables } from './schema.ts'
import type { Sqlite } from './sqlite.ts'
import type { TableFile } from './table-files.ts'

/** One thread: a second one finds nothing to do while rows are read, and takes a third more processor time looking for it. */
const OPTIONS = { memoryLimit: '512MB', threads: 1 }

/** State that the columnar index shows: the commit, and the last row of the log that is no longer needed. */
export interface Shown {
  seq: number
  logged: number
}

/**
 * Brings the columnar index of the file up to the record as it is now: in bulk, table by table, with the rows that
 * changed since its last commit, or all of them where it has none. The record may be written meanwhile.
 */
export async function updateColumnar(file: string, record: Sqlite): Promise<Shown> {
  const logged = record.oneOrThrow<{ id: number }>(
    `select coalesce(max(id), 0) as id from ${LOG}`,
  ).id
  const { seq } = record.oneOrThrow<{ seq: number }>('select seq from meta')
  const { db, since } = await openColumnar(file, seq)
  try {
    await updateRows(db, record, since)
  } finally {
    db.close()
  }
  return { seq, logged }
}

/** Brings all tables up from the commit `since`, or from nothing where that is below 0. */
export function updateRows(db: Database, record: Sqlite, since: number): Promise<void> {
  return db.transaction(async () => {
    for (const table of listColumnarTables()) await updateTable(db, record, table, since)
  })
}

/** Opens the columnar index with the commit that it shows; one that cannot be continued is made again. */
async function openColumnar(file: string, seq: number): Promise<{ db: Database; since: number }> {
  if (existsSync(file)) {
    const db = await Database.open(file, OPTIONS).catch(() => undefined)
    const found = await db?.one<{ seq: number }>('select seq from meta').catch(() => undefined)
    if (db && found && found.seq <= seq && (await isDeclared(db))) return { db, since: found.seq }
    db?.close()
  }
  for (const old of [file, `${file}.wal`]) rmSync(old, { force: true })
  const db = await Database.open(file, OPTIONS)
  await createTables(db)
  return { db, since: -1 }
}

/** Brings a table up: rows that the log lists, and those that newer commits wrote, are replaced. */
async function updateTable(
  db: Database,
  record: Sqlite,
  table: TableFile,
  since: number,
): Promise<void> {
  const { name } = table
  const rows = new TableRows(record, table)
  const add = async (batches: Iterable<string>) => {
    let count = 0
    let writing = Promise.resolve(0)
    try {
      // SQLite reads the next ones while DuckDB writes.
      for (const batch of batches) {
        count += await writing
        writing = db.write('insert into', name, rows.insertion, { rows: batch }, 'cached')
      }
    } finally {
      count += await writing
    }
    return count
  }
  if (since < 0) {
    await add(rows.readAll())
    return
  }
  for (const keys of rows.readLoggedKeys()) {
    await db.write('delete from', name, rows.deletion, { keys })
    await add(rows.readLogged(keys, since))
  }
  if (!isFoundBySeq(table)) return
  if ((await add(rows.readSince(since))) === 0) return
  await db.write('delete from', name, rows.replacement, { since })
}
