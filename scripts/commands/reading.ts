import { existsSync } from 'node:fs'
import { ServingStore } from '../../pipeline/serving/lmdb.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { isTampered } from '../../pipeline/store/seals.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findRunningRegistry, openAlone } from './running.ts'

/**
 * Reads the serving store, which a running registry does not mind; undefined until something was committed.
 * Where none runs and the store is not as it was left it is made again first: a damaged one would end this
 * process by a signal.
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
