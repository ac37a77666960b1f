import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../core/project-root.ts'
import type { Database } from './duckdb.ts'
import { declareViews } from './views.ts'

const getFolder = (name: 'tables' | 'accounts') => join(projectRoot, 'data', name)

export function listTables(folder: 'tables' | 'accounts'): string[] {
  return readdirSync(getFolder(folder))
    .filter(file => file.endsWith('.sql'))
    .map(file => file.slice(0, -4))
    .sort()
}

/**
 * Creates what is missing of the tables that the SQL files of a folder declare, and mends comments that
 * differ: all, or nothing. The default of a column may be a constant only: DuckDB cannot replay its log
 * where a list is one.
 */
export function createTables(db: Database, folder: 'tables' | 'accounts'): Promise<void> {
  return db.transaction(() => declareTables(db, folder))
}

/** Creates the same tables inside the transaction of a caller; beside those of the index, the views on them. */
export async function declareTables(db: Database, folder: 'tables' | 'accounts'): Promise<void> {
  const comments = await loadComments(db)
  const missing = listTables(folder)
    .map(name => readFileSync(join(getFolder(folder), `${name}.sql`), 'utf8'))
    .filter(sql => !isDeclared(sql, comments))
  if (missing.length > 0) await db.run(missing.join('\n'))
  if (folder === 'tables') await declareViews(db)
}

/** Tells whether a table is there with all its comments; one without comments is never known to be. */
function isDeclared(sql: string, comments: ReadonlySet<string>): boolean {
  const own = sql.split('\n').filter(line => line.startsWith('comment on '))
  return own.length > 0 && own.every(comment => comments.has(comment))
}

/**
 * Loads the comments of all tables and columns, as the statements that set them. To DuckDB each is a
 * change of a table: setting all of them again would take longer than the rest of a start.
 */
async function loadComments(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ place: string; comment: string }>(
    `select 'table ' || table_name as place, comment from duckdb_tables() where comment is not null
     union all
     select 'column ' || table_name || '.' || column_name, comment from duckdb_columns()
     where comment is not null`,
  )
  return new Set(
    rows.map(({ place, comment }) => `comment on ${place} is '${comment.replaceAll("'", "''")}';`),
  )
}
