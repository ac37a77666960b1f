import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskFull } from '../pipeline/core/disk-full.ts'

/** Free space that a commit, a snapshot and a write of Redis need at least. */
const PROBE_BYTES = 4 * 1024 * 1024

/**
 * Checks that a folder has free space by writing to it: free blocks that the file system reports
 * may be reserved or beyond a quota. Other errors are left to the caller that writes.
 */
export function hasDiskSpace(dir: string): boolean {
  const probe = join(dir, `.room-${process.pid}`)
  let file: number | undefined
  try {
    file = openSync(probe, 'w', 0o600)
    writeAll(file, Buffer.alloc(PROBE_BYTES, 1))
    fsyncSync(file)
    return true
  } catch (error) {
    return !isDiskFull(error)
  } finally {
    if (file !== undefined) closeSync(file)
    rmSync(probe, { force: true })
  }
}

/** Writes all bytes: a nearly full disk may accept only some of them without an error. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
