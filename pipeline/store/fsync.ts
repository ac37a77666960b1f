import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { ZodType } from 'zod'

/** Replaces a file so that after a crash there is the old one or the new one, whole. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  const fresh = `${path}.new`
  // One that a crash left behind would keep its own mode.
  rmSync(fresh, { force: true })
  writeFileSync(fresh, content, { mode })
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

/** Reads a small JSON file; undefined if it is missing, or has other content than expected. */
export function readJson<Content>(path: string, shape: ZodType<Content>): Content | undefined {
  if (!existsSync(path)) return undefined
  try {
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}
