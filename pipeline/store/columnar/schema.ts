import { getFirst } from '../../core/present.ts'
import { listTables, readTableFile } from '../table-files.ts'
import { isDeclared } from './definitions.ts'
import type { Database } from './duckdb.ts'
import { STORED_SCHEMA, USE_STORED } from './stored-schema.ts'
import { declareViews } from './views.ts'

export { listTables } from '../table-files.ts'

/**
 * Creates the tables that the SQL files declare, and the views on them, in an empty database: all, or nothing.
 * Does nothing where these very files were declared. The default of a column may be a constant only: DuckDB
 * cannot replay its log where a list is one.
 */
export async function createTables(db: Database): Promise<void> {
  await db.run(`create schema if not exists ${STORED_SCHEMA}; ${USE_STORED}`)
  if (await isDeclared(db)) return
  const sql = listTables('tables')
    .map(name => readTableFile('tables', name))
    .map(table => (table.isBookkeeping ? table.sql : omitComments(table.sql)))
  await db.transaction(async () => {
    await db.run(sql.join('\n'))
    await declareViews(db)
  })
}

/** Omits the comments of a table of which analysts read a view, which has them. */
function omitComments(sql: string): string {
  return getFirst(sql.split(/^comment on /m))
}
