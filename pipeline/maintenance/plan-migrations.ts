import { existsSync } from 'node:fs'
import { Database, isLocked } from '../store/duckdb.ts'
import { listPending, type Migration, type StoreName } from '../store/migrations.ts'
import type { Paths } from '../store/paths.ts'

/**
 * Lists the migrations that the next start would perform, in its order; nothing is changed. Throws where
 * a store is newer than this program, or another process has it open.
 */
export async function planMigrations(paths: Paths): Promise<Migration[]> {
  const stores = (['accounts', 'index'] as const).filter(store => existsSync(paths[store]))
  const pending: Migration[] = []
  for (const store of stores) pending.push(...(await listPendingIn(paths[store], store)))
  return pending
}

/** Lists the migrations that a file has not seen. Throws where it is newer than this program. */
export async function listPendingIn(file: string, store: StoreName): Promise<Migration[]> {
  const db = await Database.open(file, { readOnly: true }).catch(error => {
    throw isLocked(error) ? new Error(`another process has ${file} open: stop it first`) : error
  })
  try {
    return await listPending(db, store)
  } finally {
    db.close()
  }
}
