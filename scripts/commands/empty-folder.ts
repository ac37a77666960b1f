import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, settings } from '../../pipeline/core/config.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { hasTraces } from '../../pipeline/store/record-file.ts'

/** Folder that a file system has in a new volume. */
const LOST_AND_FOUND = 'lost+found'

/**
 * Tells whether a registry can begin in DATA_DIR: in a folder that is there and empty, since a mistyped one is no such
 * folder; where a start has tried; and always in the folder of the default, which nobody has typed.
 */
export function mayBegin({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): boolean {
  const paths = resolvePaths(DATA_DIR)
  if (existsSync(paths.replica)) return false
  if (isDefaultFolder(paths.dir)) return isEmpty(dirname(paths.record)) && !hasTraces(paths)
  return existsSync(paths.dir) && (isEmpty(paths.dir) || hasTried(paths))
}

/** Tells whether a folder is the one of a registry whose DATA_DIR is not set. */
export function isDefaultFolder(dir: string): boolean {
  return dir === resolvePaths(settings.DATA_DIR.schema.parse(undefined)).dir
}

/** Tells whether a start, or a command, has taken this folder, and ended before it had a record. */
function hasTried({ lease, startLock, record }: Paths): boolean {
  return [lease, startLock].some(lock => existsSync(lock)) && isEmpty(dirname(record))
}

/** Tells whether a folder is missing, or has nothing but what a new volume has. */
function isEmpty(folder: string): boolean {
  if (!existsSync(folder)) return true
  return readdirSync(folder).every(name => name.startsWith('.') || name === LOST_AND_FOUND)
}
