import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskFull } from '../pipeline/core/disk-full.ts'
import { WRITE_BYTES_MIN } from '../pipeline/store/free-disk.ts'

/**
 * Checks that a folder has free space by writing to it: free blocks that the file system reports
 * may be reserved or beyond a quota. Other errors are left to the caller that writes.
 */
export function hasDiskSpace(dir: string): boolean {
  const probe = join(dir, `.room-${process.pid}`)
  let file: number | undefined
  try {
    file = openSync(probe, 'w', 0o600)
    writeAll(file, Buffer.alloc(WRITE_BYTES_MIN, 1))
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
