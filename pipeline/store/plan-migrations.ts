import { existsSync } from 'node:fs'
import { listPendingIn, type Migration } from './migrations.ts'
import type { Paths } from './paths.ts'
import { planRecord } from './record.ts'

/**
 * Lists the migrations that the next start would perform, in its order; nothing is changed. Throws where
 * a store is newer than this program, or another process has it open.
 */
export async function planMigrations(paths: Paths): Promise<Migration[]> {
  const pending = existsSync(paths.index) ? await listPendingIn(paths.index) : []
  return [...(await planRecord(paths)), ...pending]
}
