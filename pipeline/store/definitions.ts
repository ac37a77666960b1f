import { createHash } from 'node:crypto'
import type { Database } from './duckdb.ts'
import { listTables, readTableFile, type TableFolder } from './table-files.ts'
import { readViewDefinitions } from './view-files.ts'

/** The view of each database with the hash of everything that was declared in it. */
const definitionViews = { tables: 'main.data_set', accounts: 'definitions' } as const
const hashes = new Map<TableFolder, string>()

/** Hashes the SQL of the tables of a folder and, for the index, of the views on them: SHA-256 in hexadecimal. */
export function hashDefinitions(folder: TableFolder): string {
  const known = hashes.get(folder)
  if (known !== undefined) return known
  const hash = createHash('sha256')
  for (const name of listTables(folder)) hash.update(readTableFile(folder, name).sql)
  if (folder === 'tables') hash.update(readViewDefinitions())
  const text = hash.digest('hex')
  hashes.set(folder, text)
  return text
}

/** Tells whether a database has exactly what the SQL files of a folder declare. */
export async function isDeclared(db: Database, folder: TableFolder): Promise<boolean> {
  const sql = `select definitions from ${definitionViews[folder]}`
  // A database without that view has nothing, or was declared by a version that wrote none.
  const found = await db.one<{ definitions: string }>(sql).catch(() => undefined)
  return found?.definitions === hashDefinitions(folder)
}

/** Writes that a database of accounts has what its SQL files declare; the index has it in a view for analysts. */
export async function noteDeclared(db: Database, folder: 'accounts'): Promise<void> {
  const hash = hashDefinitions(folder)
  await db.run(
    `create or replace view ${definitionViews[folder]} as select '${hash}' as definitions`,
  )
}
