import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file so that after a crash there is the old one or the new one, whole. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.new`
  writeFileSync(fresh, content)
  syncPath(fresh)
  renameSync(fresh, path)
  syncPath(dirname(path))
}

/** Flushes a file, or the entries of a directory, to disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
