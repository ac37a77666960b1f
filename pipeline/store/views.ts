import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../core/project-root.ts'
import type { Database } from './duckdb.ts'
import { buildPublishedViews } from './published-views.ts'
import { USE_PUBLISHED, USE_STORED } from './stored-schema.ts'

/** Placeholder, in the view that shows it, for the hash of all definitions. */
const HASH_PLACEHOLDER = "'DEFINITIONS'"

const listFiles = (folder: string) =>
  readdirSync(join(projectRoot, 'data', folder))
    .filter(file => file.endsWith('.sql'))
    .sort()

const readFiles = (folder: string) =>
  listFiles(folder).map(file => readFileSync(join(projectRoot, 'data', folder, file), 'utf8'))

/** Lists the views for analysts by name. */
export function listViews(): string[] {
  return listFiles('views').map(file => file.slice(0, -4))
}

/**
 * Creates what analysts read, with its comments, in the transaction of the caller: a view for each stored
 * table, the views of `data/views` and the macros of `data/macros`. They are part of the index itself, so
 * every copy of it has them. Nothing is written if they have not changed.
 */
export async function declareViews(db: Database): Promise<void> {
  const sql = [buildPublishedViews(), ...readFiles('views'), ...readFiles('macros')].join('\n')
  const hash = createHash('sha256').update(sql).digest('hex')
  if ((await findDefinitions(db)) === hash) return
  await dropViews(db)
  await db.run(`${USE_PUBLISHED}; ${sql.replace(HASH_PLACEHOLDER, `'${hash}'`)} ${USE_STORED}`)
}

/**
 * Drops all views; otherwise a view that is no longer declared would stay and refer to columns that no longer
 * exist.
 */
async function dropViews(db: Database): Promise<void> {
  const views = await db.all<{ name: string }>(
    `select view_name as name from duckdb_views()
     where not internal and schema_name = 'main' and database_name = current_database()`,
  )
  for (const { name } of views) await db.run(`drop view main."${name}"`)
}

/** Finds the hash of the definitions that a database has; undefined where it has none. */
async function findDefinitions(db: Database): Promise<string | undefined> {
  const view = await db.one<{ sql: string }>(
    "select sql from duckdb_views() where view_name = 'data_set' and schema_name = 'main' and database_name = current_database()",
  )
  return /'([0-9a-f]{64})'/.exec(view?.sql ?? '')?.[1]
}
