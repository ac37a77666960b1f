import { existsSync } from 'node:fs'
import { ServingStore } from '../../pipeline/serving/lmdb.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { isTampered } from '../../pipeline/store/seals.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findRunningRegistry, openAlone } from './open-registry.ts'

/**
 * Reads the serving store, also while a registry runs; `read` gets undefined where nothing was
 * committed yet. Without a running registry a store that was tampered with is rebuilt first: a
 * damaged one would crash this process.
 */
export async function readServing<Result>(
  read: (serving: ServingStore | undefined) => Result,
): Promise<Result> {
  const config = readSettings()
  assertRegistry(config)
  const paths = resolvePaths(config.DATA_DIR)
  if (isTampered(paths, paths.servingFile) && !(await findRunningRegistry(config))) {
    await (await openAlone(config)).close()
  }
  if (!existsSync(paths.servingFile)) return read(undefined)
  const serving = ServingStore.open(paths.servingFile, { readOnly: true })
  try {
    return read(serving)
  } finally {
    await serving.close()
  }
}
