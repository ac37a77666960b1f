import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fatal } from '../core/errors.ts'
import { projectRoot } from '../core/project-root.ts'
import { Database, isLocked } from './duckdb.ts'
import { createTables, declareTables } from './schema.ts'

/** A step to the next format of the index. */
export interface Migration {
  /** Format that it has afterwards. */
  format: number
  /** Name of its SQL. */
  file: string
}

/** Called after each migration that was performed. */
export type OnMigration = (migration: Migration) => void

/** Format of the oldest index that can be opened; the migrations lead on from it. */
export const OLDEST_FORMAT = 7
/** The last version that opened older ones, and brought them to the oldest of today. */
const LAST_WITH_OLDER = '067675d5'

const MIGRATIONS = join(projectRoot, 'data', 'migrations', 'index')

/** Lists the migrations in a folder, from the oldest on. */
export function listMigrations(folder = MIGRATIONS): Migration[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(file => ({ format: Number.parseInt(file, 10), file }))
}

/** Finds the format that this program writes. */
export function findNewestFormat(folder = MIGRATIONS): number {
  return listMigrations(folder).at(-1)?.format ?? OLDEST_FORMAT
}

/** Finds the format of an index; undefined where it is empty. */
export async function findFormat(db: Database): Promise<number | undefined> {
  const tables = await db.all<{ name: string }>(
    'select table_name as name from duckdb_tables() where not temporary',
  )
  if (tables.length === 0) return undefined
  return (await db.one<{ format: number }>('select format from meta'))?.format
}

/** Lists the pending migrations of an index. Throws where this program cannot read it. */
export async function listPending(db: Database, folder = MIGRATIONS): Promise<Migration[]> {
  const format = await findFormat(db)
  if (format === undefined) return []
  const newest = findNewestFormat(folder)
  if (format > newest) {
    throw new Fatal(
      `index.duckdb has format ${format} and was written by a newer version; this one reads ` +
        `formats up to ${newest}. Start the newer version, or go back with ` +
        '`registry restore DIR --force` and a backup that this version made',
    )
  }
  if (format < OLDEST_FORMAT) {
    throw new Fatal(
      `index.duckdb has format ${format}, and this version reads formats from ${OLDEST_FORMAT} on. ` +
        `Start commit ${LAST_WITH_OLDER} of the registry on this folder once, which converts it, then this one`,
    )
  }
  return listMigrations(folder).filter(migration => migration.format > format)
}

/**
 * Brings an index to the newest format, each migration in a transaction of its own, and creates the tables
 * that it lacks. An empty one gets the current tables at once.
 */
export async function migrate(
  db: Database,
  onMigration: OnMigration = () => undefined,
  folder = MIGRATIONS,
): Promise<void> {
  const pending = await listPending(db, folder)
  if ((await findFormat(db)) === undefined) return createIndex(db)
  for (const migration of pending) {
    await runMigration(db, migration, folder)
    onMigration(migration)
  }
  await createTables(db)
  // Without the checkpoint the next start would replay changed tables from the write-ahead log.
  if (pending.length > 0) await db.run('checkpoint')
}

/**
 * Creates the tables of an index. Tables without a row in `meta` are leftovers of a first start that was
 * interrupted: they are empty and may be of any shape, so they are dropped.
 */
async function createIndex(db: Database): Promise<void> {
  const leftover = await db.all<{ name: string; rows: number }>(
    `select format('"{}"."{}"', schema_name, table_name) as name, estimated_size as rows
     from duckdb_tables() where not temporary`,
  )
  if (leftover.some(({ rows }) => rows > 0)) {
    throw new Fatal('index.duckdb has rows but no format number')
  }
  await db.transaction(async () => {
    for (const { name } of leftover) await db.run(`drop table ${name}`)
    await declareTables(db)
    await db.run('insert into meta (format, fence, seq) values ($format, 0, 0)', {
      format: findNewestFormat(),
    })
  })
}

async function runMigration(
  db: Database,
  { format, file }: Migration,
  folder: string,
): Promise<void> {
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
 * Lists the migrations that an index that nobody has open has not seen. Throws where this program cannot
 * read it.
 */
export async function listPendingIn(file: string): Promise<Migration[]> {
  const db = await Database.open(file, { readOnly: true }).catch(error => {
    throw isLocked(error) ? new Error(`another process has ${file} open: stop it first`) : error
  })
  try {
    return await listPending(db)
  } finally {
    db.close()
  }
}
