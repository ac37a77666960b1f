import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from './duckdb.ts'

/** Version of the layout of `index.duckdb`; a file of another version is refused. */
export const INDEX_FORMAT = 1

/** Folder of the SQL files, found from the sources and from `dist` alike. */
function dataFolder(name: 'tables' | 'accounts'): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const root = here.replace(/\/dist\/pipeline\/index$|\/pipeline\/index$/, '')
  return join(root, 'data', name)
}

export function tableNames(folder: 'tables' | 'accounts'): string[] {
  return readdirSync(dataFolder(folder))
    .filter(file => file.endsWith('.sql'))
    .map(file => file.slice(0, -4))
    .sort()
}

/**
 * Creates what is missing of the tables that the SQL files of a folder declare: all, or nothing. The
 * default of a column may be a constant only: DuckDB cannot replay its log where a list is one.
 */
export function createTables(db: Database, folder: 'tables' | 'accounts'): Promise<void> {
  return db.transaction(async () => {
    for (const name of tableNames(folder)) {
      await db.run(readFileSync(join(dataFolder(folder), `${name}.sql`), 'utf8'))
    }
  })
}
