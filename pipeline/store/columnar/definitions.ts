import { createHash } from 'node:crypto'
import { listTables, readTableFile } from '../table-files.ts'
import type { Database } from './duckdb.ts'
import { readViewDefinitions } from './view-files.ts'

let known: string | undefined

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
