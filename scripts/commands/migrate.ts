import { existsSync } from 'node:fs'
import { listPendingIn, type Migration } from '../../pipeline/store/migrations.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { assertRecordKnown } from '../../pipeline/store/record.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findRunningRegistry, openAlone } from './open-registry.ts'

/** Brings the index in DATA_DIR to the newest format, or says which migrations that takes. */
export async function migrateStores({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  if (await findRunningRegistry(config)) {
    throw new Error(`a registry runs on ${config.DATA_DIR}: stop it first; each start migrates`)
  }
  const pending = await planMigrations(config.DATA_DIR)
  if (pending.length > 0 && !dryRun) {
    const sequencer = await openAlone(config)
    await sequencer.close()
  }
  for (const { file } of pending) process.stdout.write(`${dryRun ? 'would run' : 'ran'} ${file}\n`)
  if (pending.length === 0) process.stdout.write('nothing to migrate\n')
}

/** Lists what the next start would run. Throws where it would refuse a store, or another process has one open. */
async function planMigrations(dataDir: string): Promise<Migration[]> {
  const { index, record } = resolvePaths(dataDir)
  if (existsSync(record)) assertRecordKnown(record)
  return existsSync(index) ? await listPendingIn(index) : []
}
