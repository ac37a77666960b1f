import { existsSync, readdirSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { type Config, ConfigError, settings } from '../../pipeline/core/config.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { hasContent, hasOldIndex, hasTraces } from '../../pipeline/store/record-file.ts'

/** Folder that a file system has in a new volume. */
const LOST_AND_FOUND = 'lost+found'

/**
 * Tells whether a registry can begin in DATA_DIR: in a folder that is there and has nothing of something else, since a
 * mistyped one is no such folder; and always in the folder of the default, which nobody has typed.
 */
export function mayBegin({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): boolean {
  const paths = resolvePaths(DATA_DIR)
  if (hasBegun(paths) || !isEmpty(dirname(paths.record))) return false
  return isDefaultFolder(paths.dir) || (existsSync(paths.dir) && !isForeign(paths))
}

/** Throws a `ConfigError` where files of a registry would mix with those of something else. */
export function assertNotForeign(paths: Paths): void {
  if (!isDefaultFolder(paths.dir) && isForeign(paths))
    throw new ConfigError(
      `DATA_DIR is ${paths.dir}, which is not empty and holds no registry. Choose another folder.`,
    )
}

/** Tells whether a folder is the one of a registry whose DATA_DIR is not set. */
export function isDefaultFolder(dir: string): boolean {
  return dir === resolvePaths(settings.DATA_DIR.schema.parse(undefined)).dir
}

/** Tells whether a folder has files, and no registry, nor what a start or a role has left that ended before there was one. */
function isForeign(paths: Paths): boolean {
  const { dir, lease, startLock } = paths
  if (hasBegun(paths) || [lease, startLock].some(lock => existsSync(lock))) return false
  return !isEmpty(dir, listOwnNames(paths))
}

function hasBegun(paths: Paths): boolean {
  return (
    hasContent(paths.record) || existsSync(paths.replica) || hasOldIndex(paths) || hasTraces(paths)
  )
}

/** Lists the names that a registry uses in its folder. Redis is only its own beside the lock of a start. */
function listOwnNames(paths: Paths): ReadonlySet<string> {
  const files = Object.values(paths)
    .flat()
    .filter(path => typeof path === 'string')
  const names = new Set(files.map(file => getFirst(relative(paths.dir, file).split(sep))))
  names.delete(relative(paths.dir, paths.redis))
  return names
}

/** Tells whether a folder is missing, or has nothing but what a new volume has, and these. */
function isEmpty(folder: string, known: ReadonlySet<string> = new Set()): boolean {
  if (!existsSync(folder)) return true
  return readdirSync(folder).every(
    name => name.startsWith('.') || name === LOST_AND_FOUND || known.has(name),
  )
}
