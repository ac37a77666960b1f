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

/** Replaces a file atomically and durably: after a crash it has the old content or the new, never a part. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  const fresh = `${path}.new`
  // A leftover of a crash would keep its own mode.
  rmSync(fresh, { force: true })
  writeFileSync(fresh, content, { mode })
  syncPath(fresh)
  renameSync(fresh, path)
  syncPath(dirname(path))
}

/** Puts a folder in the place of another one; who has files of the old one open keeps them. */
export function replaceFolder(fresh: string, place: string): void {
  const old = `${place}.old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(place)) renameSync(place, old)
  renameSync(fresh, place)
  syncPath(dirname(place))
  rmSync(old, { recursive: true, force: true })
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
export function readJsonFile<Content>(path: string, shape: ZodType<Content>): Content | undefined {
  return existsSync(path) ? parseJson(readFileSync(path, 'utf8'), shape) : undefined
}

/** Parses JSON of a shape; undefined where it is damaged. */
export function parseJson<Content>(text: string, shape: ZodType<Content>): Content | undefined {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
