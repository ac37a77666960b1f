import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'

/** Stores as SQL, in the oldest format that is opened, of the same two nights. */
const folder = join(import.meta.dirname, '../../fixtures/stores')

/** Writes the index into DATA_DIR as the version of its format has left it. */
export async function writeStoredIndex(dataDir: string): Promise<void> {
  const { index } = resolvePaths(dataDir)
  mkdirSync(dirname(index), { recursive: true })
  const db = await Database.open(index)
  await db.run(readFileSync(`${folder}/index-7.sql`, 'utf8'))
  db.close()
}

/** Writes both stores into DATA_DIR as the version of their formats has left them. */
export async function writeStores(dataDir: string): Promise<void> {
  await writeStoredIndex(dataDir)
  const { record } = resolvePaths(dataDir)
  mkdirSync(dirname(record), { recursive: true })
  const db = Sqlite.open(record)
  db.exec(readFileSync(`${folder}/record-1.sql`, 'utf8'))
  db.emptyLog()
  db.close()
}
/** Reads tables, columns, constraints and indexes of a database, comments too. */
export async function readShape(db: Database): Promise<Record<string, unknown[]>> {
  const rows = (sql: string) => db.all<object>(`${sql} order by all`)
  return {
    tables: await rows(
      'select schema_name, table_name, comment from duckdb_tables() where not temporary',
    ),
    views: await rows('select view_name, sql, comment from duckdb_views() where not internal'),
    columns:
      await rows(`select schema_name, table_name, column_index, column_name, data_type, is_nullable,
      column_default, comment from duckdb_columns() where not internal`),
    constraints: await rows(
      'select table_name, constraint_type, constraint_text from duckdb_constraints()',
    ),
    indexes: await rows('select table_name, index_name, sql from duckdb_indexes()'),
  }
}

type Rows = Record<string, Record<string, string | null>[]>

/** Reads every row of every table, each value as text. */
export async function readRows(db: Database): Promise<Rows> {
  const tables = await db.all<{ name: string }>(
    'select table_name as name from duckdb_tables() where not temporary order by 1',
  )
  const all: Rows = {}
  for (const { name } of tables) {
    all[name] = await db.all(`select columns(*)::varchar from ${name} order by 1`)
  }
  return all
}
