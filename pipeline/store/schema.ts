import { getFirst } from '../core/present.ts'
import { isDeclared } from './definitions.ts'
import type { Database } from './duckdb.ts'
import { STORED_SCHEMA, USE_STORED } from './stored-schema.ts'
import { listTables, readTableFile, type TableFile } from './table-files.ts'
import { declareViews } from './views.ts'

export { listTables } from './table-files.ts'

/**
 * Creates what is missing of the tables that the SQL files of the index declare, and mends comments that
 * differ: all, or nothing. To look at what a database has takes a third of a start, so nothing is looked at
 * where it notes that these very files were declared in it. The default of a column may be a constant only:
 * DuckDB cannot replay its log where a list is one.
 */
export async function createTables(db: Database): Promise<void> {
  await useStoredSchema(db)
  if (await isDeclared(db)) return
  await db.transaction(() => declareTables(db))
}

/** Creates the same tables, and the views on them, inside the transaction of a caller. */
export async function declareTables(db: Database): Promise<void> {
  await useStoredSchema(db)
  const [names, comments] = [await loadNames(db), await loadComments(db)]
  const missing = listTables('tables')
    .map(name => readTableFile('tables', name))
    .filter(table => !isCreated(table, names, comments))
    .map(table => (table.isBookkeeping ? table.sql : omitComments(table.sql)))
  if (missing.length > 0) await db.run(missing.join('\n'))
  await declareViews(db)
}

/** Creates the schema of the stored tables where it is missing, and has the connection use it. */
export async function useStoredSchema(db: Database): Promise<void> {
  await db.run(`create schema if not exists ${STORED_SCHEMA}; ${USE_STORED}`)
}

/** Omits the comments of a table of which analysts read a view, which has them. */
function omitComments(sql: string): string {
  return getFirst(sql.split(/^comment on /m))
}

/** Tells whether a table is there with all its comments; one without comments is never known to be. */
function isCreated(
  table: TableFile,
  names: ReadonlySet<string>,
  comments: ReadonlySet<string>,
): boolean {
  if (!table.isBookkeeping) return names.has(table.name)
  const own = table.sql.split('\n').filter(line => line.startsWith('comment on '))
  return own.length > 0 && own.every(comment => comments.has(comment))
}

async function loadNames(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ name: string }>(
    'select table_name as name from duckdb_tables() where schema_name = current_schema()',
  )
  return new Set(rows.map(({ name }) => name))
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
     where comment is not null and schema_name = current_schema()`,
  )
  return new Set(
    rows.map(({ place, comment }) => `comment on ${place} is '${comment.replaceAll("'", "''")}';`),
  )
}
