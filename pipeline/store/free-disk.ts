import { statfsSync } from 'node:fs'
import type { Paths } from './paths.ts'

/** Free space that a commit, a snapshot and a write of Redis need at least. */
export const WRITE_BYTES_MIN = 4 * 1024 * 1024

/** Returns the bytes that are free on the disk of the stores. */
export function readFreeDisk({ dir }: Pick<Paths, 'dir'>): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
