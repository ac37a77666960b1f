import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { systemClock, toIso } from '../core/clock.ts'
import { Database } from '../store/duckdb.ts'
import { syncPath } from '../store/durable-files.ts'
import { findFormat, listPending, migrate, type OnMigration } from '../store/migrations.ts'
import { findBackupsBeside, PRIVATE_FOLDER_MODE } from '../store/paths.ts'

/** Number of copies from before migrations that are kept, the newest ones. */
export const COPIES_KEPT = 3

/** Mode of a file that only its owner reads. */
const PRIVATE_FILE = 0o600

/**
 * Opens the accounts in the newest format. A file of an older one is copied to `backups/` beside it
 * first.
 */
export async function openMigrated(file: string, onMigration?: OnMigration): Promise<Database> {
  const db = await openCopied(file)
  try {
    await migrate(db, 'accounts', onMigration)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens the accounts; a file of an older format has then been copied. */
async function openCopied(file: string): Promise<Database> {
  const db = await openAccounts(file)
  const older = await findOlderFormat(db).catch(error => {
    db.close()
    throw error
  })
  if (older === undefined) return db
  db.close()
  copyAccounts(file, older)
  return openAccounts(file)
}

function openAccounts(file: string): Promise<Database> {
  return Database.open(file, { memoryLimit: '128MB', threads: 1 })
}

/** Finds the format of accounts to migrate. Afterwards the file contains everything that was in its log. */
async function findOlderFormat(db: Database): Promise<number | undefined> {
  if ((await listPending(db, 'accounts')).length === 0) return undefined
  await db.runTemporary('checkpoint')
  return findFormat(db)
}

/** Copies a database file that is closed. The name begins with the time, so names sort by age. */
function copyAccounts(file: string, format: number): void {
  const folder = findBackupsBeside(file)
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const at = toIso(systemClock.now()).replaceAll(/[:.]/g, '-')
  const copy = `${folder}/${at}-format-${format}.duckdb`
  copyFileSync(file, `${copy}.new`)
  chmodSync(`${copy}.new`, PRIVATE_FILE)
  syncPath(`${copy}.new`)
  renameSync(`${copy}.new`, copy)
  syncPath(folder)
  for (const name of readdirSync(folder).sort().slice(0, -COPIES_KEPT)) rmSync(`${folder}/${name}`)
}
