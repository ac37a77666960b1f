import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock, toIso } from '../core/clock.ts'
import { Fatal } from '../core/errors.ts'
import { Database, isLocked } from './duckdb.ts'
import { syncPath } from './durable-files.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from './paths.ts'
import { Sqlite } from './sqlite.ts'

export type ConvertedPaths = Pick<Paths, 'record' | 'oldAccounts' | 'accountsBackups'>

/** Number of old files that are kept, the newest ones. */
export const COPIES_KEPT = 3
/** Newest format of the accounts in DuckDB; those of the first had no table that named it. */
const OLD_FORMAT_MAX = 2
const PRIVATE_FILE = 0o600

/**
 * Copies the private rows of an earlier version into a new record, in their order. The record gets its name when it is
 * complete, so that an interrupted conversion starts again.
 */
export async function convertAccounts(
  paths: ConvertedPaths,
  declare: (record: Sqlite) => void,
): Promise<void> {
  const fresh = `${paths.record}.new`
  removeFile(fresh)
  const old = await openOld(paths.oldAccounts)
  try {
    assertKnown(await readFormat(old))
    await old.runTemporary('checkpoint')
    const record = Sqlite.open(fresh)
    try {
      declare(record)
      await copyTables(old, record)
    } finally {
      record.close()
    }
  } finally {
    old.close()
  }
  syncPath(fresh)
  renameSync(fresh, paths.record)
  syncPath(dirname(paths.record))
  putAside(paths)
}

/** Moves the old file among the backups. Its name begins with the time, so names sort by age. */
export function putAside({ oldAccounts, accountsBackups: folder }: ConvertedPaths): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const at = toIso(systemClock.now()).replaceAll(/[:.]/g, '-')
  chmodSync(oldAccounts, PRIVATE_FILE)
  renameSync(oldAccounts, `${folder}/${at}-accounts.duckdb`)
  rmSync(`${oldAccounts}.wal`, { force: true })
  syncPath(folder)
  for (const name of readdirSync(folder).sort().slice(0, -COPIES_KEPT)) rmSync(`${folder}/${name}`)
}

/** Finds the format of an old file that nobody has open. Throws where it is newer than the last one. */
export async function findOldFormat(file: string): Promise<number> {
  const db = await Database.open(file, { readOnly: true }).catch(error => {
    throw isLocked(error) ? new Error(`another process has ${file} open: stop it first`) : error
  })
  try {
    const format = await readFormat(db)
    assertKnown(format)
    return format
  } finally {
    db.close()
  }
}

/** Deletes a SQLite file with its log. */
export function removeFile(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
}

function openOld(file: string): Promise<Database> {
  return Database.open(file, { memoryLimit: '128MB', threads: 1 })
}

async function copyTables(old: Database, record: Sqlite): Promise<void> {
  const columns = await old.all<{ table: string; column: string }>(
    'select table_name as "table", column_name as "column" from duckdb_columns() where not internal',
  )
  for (const table of new Set(columns.map(row => row.table))) {
    const known = new Set(record.columns(table).map(({ name }) => name))
    const shared = columns.filter(row => row.table === table && known.has(row.column))
    if (shared.length === 0) continue
    const names = shared.map(({ column }) => `"${column}"`).join(', ')
    for await (const rows of old.stream<object>(`select ${names} from "${table}"`)) {
      record.insert(table, rows)
    }
  }
}

async function readFormat(db: Database): Promise<number> {
  const [meta] = await db.all('select 1 from duckdb_tables() where table_name = $name', {
    name: 'meta',
  })
  if (meta === undefined) return 1
  return (await db.one<{ format: number }>('select format from meta'))?.format ?? 1
}

function assertKnown(format: number): void {
  if (format <= OLD_FORMAT_MAX) return
  throw new Fatal(
    `accounts/accounts.duckdb has format ${format} and was written by a newer version; this one reads ` +
      `formats up to ${OLD_FORMAT_MAX}. Start the newer version, or go back with ` +
      '`registry restore DIR --force` and a backup that this version made',
  )
}
