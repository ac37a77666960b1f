import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'

/** The stores that DuckDB kept; the accounts are converted now. */
export type StoreName = 'index' | 'accounts'

/** A store of each format as SQL, all of the same two nights: `index-1.sql`. */
const folder = join(import.meta.dirname, '../../fixtures/stores')

/** Lists the formats of a store that there is a file of. */
export function listStoredFormats(store: StoreName): number[] {
  return readdirSync(folder)
    .flatMap(name =>
      name.startsWith(`${store}-`) ? [Number.parseInt(name.split('-')[1]!, 10)] : [],
    )
    .sort((a, b) => a - b)
}

/** Writes the stores of these formats into DATA_DIR, as versions of then have left them. */
export async function writeStores(
  dataDir: string,
  formats: Partial<Record<StoreName, number>>,
): Promise<void> {
  const paths = resolvePaths(dataDir)
  for (const [store, format] of Object.entries(formats) as [StoreName, number][]) {
    const place = store === 'index' ? paths.index : paths.oldAccounts
    mkdirSync(dirname(place), { recursive: true })
    const db = await Database.open(place)
    await db.run(readFileSync(`${folder}/${store}-${format}.sql`, 'utf8'))
    db.close()
  }
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
    'select table_name as name from duckdb_tables() where not temporary order by all',
  )
  const all: Rows = {}
  for (const { name } of tables) {
    all[name] = await db.all(`select columns(*)::varchar from ${name} order by all`)
  }
  return all
}
