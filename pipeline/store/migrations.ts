import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fatal } from '../core/errors.ts'
import { projectRoot } from '../core/project-root.ts'
import { Database, isLocked } from './duckdb.ts'
import type { Paths } from './paths.ts'
import { createTables, declareTables } from './schema.ts'

/** A database whose format is numbered. */
export type StoreName = 'index' | 'accounts'

/** A step to the next format of a store. */
export interface Migration {
  /** Format that the store has afterwards. */
  format: number
  /** Name of the SQL file below `data/migrations`. */
  file: string
}

/** Called after each migration that was performed. */
export type OnMigration = (migration: Migration) => void

/** First format of a store. Accounts of this format have no table `meta` that names it. */
const FIRST_FORMAT = 1

const folder = join(projectRoot, 'data', 'migrations')
const tableFolders = { index: 'tables', accounts: 'accounts' } as const
const storeFiles = { index: 'index.duckdb', accounts: 'accounts/accounts.duckdb' }
const firstMeta = {
  index: 'insert into meta (format, fence, seq) values ($format, 0, 0)',
  accounts: 'insert into meta (format) values ($format)',
}

/** Lists the migrations of a store, from the oldest on. */
export function listMigrations(store: StoreName): Migration[] {
  return readdirSync(join(folder, store))
    .sort()
    .map(name => ({ format: Number.parseInt(name, 10), file: `${store}/${name}` }))
}

/** Finds the format that this program writes. */
export function findNewestFormat(store: StoreName): number {
  return listMigrations(store).at(-1)?.format ?? FIRST_FORMAT
}

/** Finds the format of a store; undefined where it is empty. */
export async function findFormat(db: Database): Promise<number | undefined> {
  const tables = await db.all<{ name: string }>(
    'select table_name as name from duckdb_tables() where not temporary',
  )
  if (tables.length === 0) return undefined
  if (!tables.some(({ name }) => name === 'meta')) return FIRST_FORMAT
  return (await db.one<{ format: number }>('select format from meta'))?.format
}

/** Lists the pending migrations of a store. Throws where it is newer than this program. */
export async function listPending(db: Database, store: StoreName): Promise<Migration[]> {
  return listLater(await findFormat(db), store)
}

function listLater(format: number | undefined, store: StoreName): Migration[] {
  const newest = findNewestFormat(store)
  if (format === undefined) return []
  if (format > newest) {
    throw new Fatal(
      `${storeFiles[store]} has format ${format} and was written by a newer version; this one reads ` +
        `formats up to ${newest}. Start the newer version, or go back with ` +
        '`registry restore DIR --force` and a backup that this version made',
    )
  }
  return listMigrations(store).filter(migration => migration.format > format)
}

/**
 * Brings a store to the newest format, each migration in a transaction of its own, and creates the tables
 * that it lacks. An empty store gets the current tables at once.
 */
export async function migrate(
  db: Database,
  store: StoreName,
  onMigration: OnMigration = () => undefined,
): Promise<void> {
  const format = await findFormat(db)
  if (format === undefined) return createStore(db, store)
  const pending = listLater(format, store)
  for (const migration of pending) {
    await runMigration(db, migration)
    onMigration(migration)
  }
  await createTables(db, tableFolders[store])
  // Without the checkpoint the next start would replay changed tables from the write-ahead log.
  if (pending.length > 0) await db.run('checkpoint')
}

/**
 * Creates the tables of a store. Tables without a row in `meta` are leftovers of a first start that was
 * interrupted: they are empty and may be of any shape, so they are dropped.
 */
async function createStore(db: Database, store: StoreName): Promise<void> {
  const leftover = await db.all<{ name: string; rows: number }>(
    `select format('"{}"."{}"', schema_name, table_name) as name, estimated_size as rows
     from duckdb_tables() where not temporary`,
  )
  if (leftover.some(({ rows }) => rows > 0)) {
    throw new Fatal(`${storeFiles[store]} has rows but no format number`)
  }
  await db.transaction(async () => {
    for (const { name } of leftover) await db.run(`drop table ${name}`)
    await declareTables(db, tableFolders[store])
    await db.run(firstMeta[store], { format: findNewestFormat(store) })
  })
}

async function runMigration(db: Database, { format, file }: Migration): Promise<void> {
  const sql = readFileSync(join(folder, file), 'utf8')
  try {
    // Each thread holds a row group in memory, and rows with long lists make these large.
    await db.useThreads(1)
    await db.withMostMemory(() =>
      db.transaction(async () => {
        await db.run(sql)
        await db.run('update meta set format = $format', { format })
      }),
    )
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Fatal(`migration ${file} failed and changed nothing: ${reason}`, { cause: error })
  }
}

/**
 * Lists the migrations that the next start would perform, in its order; nothing is changed. Throws where
 * a store is newer than this program, or another process has it open.
 */
export async function planMigrations(paths: Paths): Promise<Migration[]> {
  const stores = (['accounts', 'index'] as const).filter(store => existsSync(paths[store]))
  const pending: Migration[] = []
  for (const store of stores) pending.push(...(await listPendingIn(paths[store], store)))
  return pending
}

/** Lists the migrations that a file has not seen. Throws where it is newer than this program. */
export async function listPendingIn(file: string, store: StoreName): Promise<Migration[]> {
  const db = await Database.open(file, { readOnly: true }).catch(error => {
    throw isLocked(error) ? new Error(`another process has ${file} open: stop it first`) : error
  })
  try {
    return await listPending(db, store)
  } finally {
    db.close()
  }
}
