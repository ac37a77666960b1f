import { hashDefinitions } from './definitions.ts'
import type { Database } from './duckdb.ts'
import { USE_PUBLISHED, USE_STORED } from './stored-schema.ts'
import { readViewDefinitions } from './view-files.ts'

/** Placeholder, in the view that shows it, for the hash of all definitions. */
const HASH_PLACEHOLDER = "'DEFINITIONS'"

/**
 * Creates what analysts read, with its comments, in the transaction of the caller. It is part of the columnar
 * index itself, so every copy of it has it.
 */
export async function declareViews(db: Database): Promise<void> {
  const hash = hashDefinitions()
  const sql = readViewDefinitions().replace(HASH_PLACEHOLDER, `'${hash}'`)
  await db.run(`${USE_PUBLISHED}; ${sql} ${USE_STORED}`)
}
