import { hashDefinitions } from './definitions.ts'
import type { Database } from './duckdb.ts'
import { USE_PUBLISHED, USE_STORED } from './stored-schema.ts'
import { readViewDefinitions } from './view-files.ts'

/** Placeholder, in the view that shows it, for the hash of all definitions. */
const HASH_PLACEHOLDER = "'DEFINITIONS'"

/**
 * Creates what analysts read, with its comments, in the transaction of the caller. It is part of the index
 * itself, so every copy of it has it.
 */
export async function declareViews(db: Database): Promise<void> {
  const hash = hashDefinitions()
  const sql = readViewDefinitions().replace(HASH_PLACEHOLDER, `'${hash}'`)
  await dropViews(db)
  await db.run(`${USE_PUBLISHED}; ${sql} ${USE_STORED}`)
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
