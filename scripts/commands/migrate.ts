import { resolvePaths } from '../../pipeline/store/paths.ts'
import { planMigrations } from '../../pipeline/store/plan-migrations.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findRunningRegistry, openAlone } from './open-registry.ts'

/** Brings the stores in DATA_DIR to the newest format, or says which migrations that takes. */
export async function migrateStores({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  if (await findRunningRegistry(config)) {
    throw new Error(`a registry runs on ${config.DATA_DIR}: stop it first; each start migrates`)
  }
  const pending = await planMigrations(resolvePaths(config.DATA_DIR))
  if (pending.length > 0 && !dryRun) {
    const sequencer = await openAlone(config)
    await sequencer.close()
  }
  for (const { file } of pending) process.stdout.write(`${dryRun ? 'would run' : 'ran'} ${file}\n`)
  if (pending.length === 0) process.stdout.write('nothing to migrate\n')
}
