import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fatal } from '../core/errors.ts'
import { getLast } from '../core/present.ts'
import { projectRoot } from '../core/project-root.ts'
import { Database, isLocked } from './duckdb.ts'
import { createTables, declareTables } from './schema.ts'

/** A step to the next format of the index or the record. */
export interface Migration {
  /** Format that it has afterwards. */
  format: number
  /** Name of the SQL file below `data/migrations`. */
  file: string
}

/** Called after each migration that was performed. */
export type OnMigration = (migration: Migration) => void

const folder = join(projectRoot, 'data', 'migrations')

/** Lists the migrations of the index, from the oldest on. */
export function listMigrations(): Migration[] {
  return readdirSync(join(folder, 'index'))
    .sort()
    .map(name => ({ format: Number.parseInt(name, 10), file: `index/${name}` }))
}

/** Finds the format that this program writes. */
export function findNewestFormat(): number {
  return getLast(listMigrations()).format
}

/** Finds the format of an index; undefined where it is empty. */
export async function findFormat(db: Database): Promise<number | undefined> {
  const tables = await db.all<{ name: string }>(
    'select table_name as name from duckdb_tables() where not temporary',
  )
  if (tables.length === 0) return undefined
  return (await db.one<{ format: number }>('select format from meta'))?.format
}

/** Lists the pending migrations of an index. Throws where it is newer than this program. */
export async function listPending(db: Database): Promise<Migration[]> {
  return listLater(await findFormat(db))
}

function listLater(format: number | undefined): Migration[] {
  const newest = findNewestFormat()
  if (format === undefined) return []
  if (format > newest) {
    throw new Fatal(
      `index.duckdb has format ${format} and was written by a newer version; this one reads ` +
        `formats up to ${newest}. Start the newer version, or go back with ` +
        '`registry restore DIR --force` and a backup that this version made',
    )
  }
  return listMigrations().filter(migration => migration.format > format)
}

/**
 * Brings an index to the newest format, each migration in a transaction of its own, and creates the tables
 * that it lacks. An empty one gets the current tables at once.
 */
export async function migrate(
  db: Database,
  onMigration: OnMigration = () => undefined,
): Promise<void> {
  const format = await findFormat(db)
  if (format === undefined) return createIndex(db)
  const pending = listLater(format)
  for (const migration of pending) {
    await runMigration(db, migration)
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

/** Lists the migrations that an index has not seen. Throws where it is newer than this program. */
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
