import { statfsSync } from 'node:fs'
import { isDiskFull } from '../core/disk-full.ts'
import type { Paths } from './paths.ts'

/** Free space that a commit, a snapshot and a write of Redis need at least. */
export const WRITE_BYTES_MIN = 4 * 1024 * 1024

/** Returns the bytes that are free on the disk of the stores. */
export function readFreeDisk({ dir }: Pick<Paths, 'dir'>): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/** Names a full disk as the cause of a write that failed for lack of room: LMDB calls it an input/output error. */
export function explainFailedWrite(error: unknown, freeBytes: number): unknown {
  if (isDiskFull(error) || freeBytes >= WRITE_BYTES_MIN) return error
  return Object.assign(new Error('the disk is full', { cause: error }), { code: 'ENOSPC' })
}
