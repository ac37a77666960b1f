import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../core/project-root.ts'
import type { Database } from './duckdb.ts'

const getFolder = (name: 'tables' | 'accounts') => join(projectRoot, 'data', name)

export function listTables(folder: 'tables' | 'accounts'): string[] {
  return readdirSync(getFolder(folder))
    .filter(file => file.endsWith('.sql'))
    .map(file => file.slice(0, -4))
    .sort()
}

/**
 * Creates what is missing of the tables that the SQL files of a folder declare: all, or nothing. The
 * default of a column may be a constant only: DuckDB cannot replay its log where a list is one.
 */
export function createTables(db: Database, folder: 'tables' | 'accounts'): Promise<void> {
  return db.transaction(() => declareTables(db, folder))
}

/** Creates the same tables inside the transaction of a caller. */
export async function declareTables(db: Database, folder: 'tables' | 'accounts'): Promise<void> {
  for (const name of listTables(folder)) {
    await db.run(readFileSync(join(getFolder(folder), `${name}.sql`), 'utf8'))
  }
}
