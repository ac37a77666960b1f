import { describeRunning } from '../../pipeline/maintenance/restore.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { assertRecordKnown } from '../../pipeline/store/record.ts'
import { hasContent, hasOldIndex, readRecordFile } from '../../pipeline/store/record-file.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findRunningRegistry, openAlone } from './open-registry.ts'

/** Brings the stores in DATA_DIR to the format of this version, or says what that takes. */
export async function migrateStores({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  if (await findRunningRegistry(config)) {
    throw new Error(
      `${describeRunning(resolvePaths(config.DATA_DIR))}; each start migrates by itself`,
    )
  }
  const paths = resolvePaths(config.DATA_DIR)
  if (hasContent(paths.record)) readRecordFile(paths, assertRecordKnown)
  const isPending = hasOldIndex(paths)
  if (isPending && !dryRun) {
    const sequencer = await openAlone(config)
    await sequencer.close()
  }
  const did = dryRun ? 'This would import' : 'Imported'
  process.stdout.write(
    isPending
      ? `${did} index.duckdb into record/record.sqlite.\n`
      : 'There is nothing to migrate.\n',
  )
}
