import { createHash } from 'node:crypto'
import { getFirst } from '../../core/present.ts'
import { listTables, readTableFile } from '../table-files.ts'
import type { Database } from './duckdb.ts'
import { STORED_SCHEMA, USE_PUBLISHED, USE_STORED } from './stored-schema.ts'
import { readViewDefinitions } from './view-files.ts'

/** Placeholder, in the view that shows it, for the hash of all definitions. */
const HASH_PLACEHOLDER = "'DEFINITIONS'"

let known: string | undefined

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

/**
 * Creates what analysts read, with its comments, in the transaction of the caller. It is part of the columnar
 * index itself, so every copy of it has it.
 */
async function declareViews(db: Database): Promise<void> {
  const sql = readViewDefinitions().replace(HASH_PLACEHOLDER, `'${hashDefinitions()}'`)
  await db.run(`${USE_PUBLISHED}; ${sql} ${USE_STORED}`)
}

/** Hashes the SQL of the tables and of the views on them: SHA-256 in hexadecimal. */
export function hashDefinitions(): string {
  if (known !== undefined) return known
  const hash = createHash('sha256')
  for (const name of listTables('tables')) hash.update(readTableFile('tables', name).sql)
  hash.update(readViewDefinitions())
  known = hash.digest('hex')
  return known
}

/** Tells whether an index has exactly what the SQL files declare, by the view that says so. */
export async function isDeclared(db: Database): Promise<boolean> {
  const sql = 'select definitions from main.data_set'
  // An index without that view has nothing, or was declared by a version that wrote none.
  const found = await db.one<{ definitions: string }>(sql).catch(() => undefined)
  return found?.definitions === hashDefinitions()
}
