import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { readJsonFile, replaceFile, syncPath } from './durable-files.ts'
import type { Paths } from './paths.ts'

const run = promisify(execFile)
/** Permission of everyone to write a file. */
const ANY_WRITE = 0o222

/** The small file that is replaced last: it names the current snapshot and its commit. */
export const Checkpoint = z.object({
  seq: z.int(),
  snapshot: z.string().regex(/^\d{6,}\.duckdb$/),
  last_event_id: z.string().nullable(),
  sha256: z.string(),
  /** Time at which it was made: all that was committed until then is in it. */
  as_of: z.string().exactOptional(),
  /** Hash of the tables and views that it has; absent in those of versions that did not say so. */
  definitions: z.string().exactOptional(),
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** Reads the checkpoint; undefined if it is missing or unreadable: the next start writes it again. */
export function readCheckpoint(paths: Paths): Checkpoint | undefined {
  return readJsonFile(paths.checkpoint, Checkpoint)
}

/**
 * Copies the file of the columnar index to the next numbered snapshot. A child process makes the copy: opening the
 * file in this process would drop DuckDB's lock on it.
 */
export async function copySnapshot(paths: Paths): Promise<string> {
  mkdirSync(paths.snapshots, { recursive: true })
  const path = paths.snapshotFile(findLastSnapshotNumber(paths) + 1)
  const fresh = `${path}.new`
  // A part of one would keep what is left of a disk that is full.
  await run('cp', ['--reflink=auto', paths.columnar, fresh]).catch(error => {
    rmSync(fresh, { force: true })
    throw error
  })
  syncPath(fresh)
  renameSync(fresh, path)
  syncPath(paths.snapshots)
  return basename(path)
}

/** Makes a snapshot the current one: `registry.duckdb` for people, then the checkpoint, last. */
export function advance(paths: Paths, next: Checkpoint): void {
  linkCurrent(paths, next.snapshot)
  replaceFile(paths.checkpoint, `${JSON.stringify(next)}\n`)
}

/**
 * Makes `registry.duckdb` a second name of a snapshot, if that is still there. DuckDB opens files for writing unless it is
 * told otherwise, so nobody may write it: the API serves the same file.
 */
export function linkCurrent(paths: Paths, snapshot: string): void {
  const file = `${paths.snapshots}/${snapshot}`
  if (!existsSync(file)) return
  makeReadOnly(file)
  const link = `${paths.registry}.new`
  rmSync(link, { force: true })
  linkSync(file, link)
  renameSync(link, paths.registry)
  // Renaming one name of a file to another one of it does nothing.
  rmSync(link, { force: true })
}

function makeReadOnly(file: string): void {
  const { mode } = statSync(file)
  if ((mode & ANY_WRITE) !== 0) chmodSync(file, mode & ~ANY_WRITE)
}

/** Deletes all but the newest `keep` snapshots. Readers of a deleted one keep their file. */
export function pruneSnapshots(paths: Paths, keep: number): void {
  for (const name of listSnapshots(paths).slice(0, -keep)) rmSync(`${paths.snapshots}/${name}`)
}

/** Computes the SHA-256 of a file, as hex. One buffer is read into again and again: a stream took twice the time. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  await using handle = await open(file)
  for (;;) {
    const { bytesRead } = await handle.read(buffer)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
  }
}

export function listSnapshots(paths: Paths): string[] {
  if (!existsSync(paths.snapshots)) return []
  return readdirSync(paths.snapshots)
    .filter(name => /^\d{6,}\.duckdb$/.test(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
}

function findLastSnapshotNumber(paths: Paths): number {
  return Number.parseInt(listSnapshots(paths).at(-1) ?? '0', 10)
}
