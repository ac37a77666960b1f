import { readFileSync } from 'node:fs'
import { ConfigError } from '../config-error.ts'

/** Reads the file that a setting names; throws a `ConfigError` that says why it cannot. */
export function readSettingFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting} names ${path}, which ${describeReadError(error)}.`)
  }
}

function describeReadError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
  if (code === 'EISDIR') return 'is a folder'
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read'
  return `cannot be read: ${message}`
}
