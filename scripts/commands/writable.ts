import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../pipeline/core/config.ts'
import { makeFolder } from '../../pipeline/store/paths.ts'

/** Makes a folder; throws a `ConfigError` that names it by its setting or argument where nothing can be written there. */
export function assertWritable(name: string, dir: string, mode?: number): void {
  const probe = join(dir, `.writable-${process.pid}`)
  try {
    makeFolder(dir, mode)
    closeSync(openSync(probe, 'w', 0o600))
    rmSync(probe)
  } catch (error) {
    const reason = describeWriteError(error)
    if (reason === undefined) return
    throw new ConfigError(
      `${name} is ${dir}, and nothing can be written there because ${reason}. Choose another folder.`,
    )
  }
}

/** Describes why a file cannot be made; undefined for a full disk, which may have room later. */
function describeWriteError(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return undefined
    case 'EACCES':
    case 'EPERM':
      return 'this user has no permission'
    case 'EROFS':
      return 'its file system is read-only'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a part of the path is a file'
    case 'ENOENT':
      return 'the folder cannot be created'
    default:
      return message
  }
}
