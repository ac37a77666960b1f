import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { describeFullDisk } from '../core/disk-full.ts'
import { Fatal } from '../core/errors.ts'
import { listSnapshots } from './checkpoint.ts'
import type { Paths } from './paths.ts'

/** Advice where a store that nothing else can be made of is missing, or cannot be read. */
export const RESTORE = 'put it back, or run `registry restore DIR --force` with a backup'
export const REPLACE =
  'replace it with an intact copy, or run `registry restore DIR --force` with a backup'

/** Tells whether a file is there and not empty: SQLite takes an empty one for a new database. */
export function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Tells whether the index is in a file of its own still, as the version before kept it. */
export function hasOldIndex({ oldIndex }: Pick<Paths, 'oldIndex'>): boolean {
  return existsSync(oldIndex)
}

/** Tells whether there are files that were made from a record. */
export function hasTraces(paths: Paths): boolean {
  const made = [paths.servingFile, paths.checkpoint, paths.registry]
  return made.some(file => existsSync(file)) || listSnapshots(paths).length > 0
}

/** Says what to do where only what was made from the record is left. */
export function describeLostRecord(dir: string): string {
  return `record/record.sqlite of ${dir} is missing or empty, and other stores exist: ${RESTORE}`
}

/** Reads the record, or what says something of it; says what to do where that cannot be read. */
export function readRecordFile<Result>(paths: Paths, read: (file: string) => Result): Result {
  try {
    return read(paths.record)
  } catch (error) {
    throw describeUnreadable(paths, error)
  }
}

/**
 * Says what to do where the record cannot be read. Throws what hinders this process, and no other: the rights of its
 * user, or a disk without room for what SQLite writes beside the record. SQLite names neither.
 */
export function describeUnreadable({ dir, record }: Paths, error: unknown): Fatal {
  if (error instanceof Fatal) return error
  accessSync(record, constants.R_OK | constants.W_OK)
  if (statfsSync(dir).bavail === 0) {
    const cause = Object.assign(new Error('no room', { cause: error }), { code: 'ENOSPC' })
    return new Fatal(describeFullDisk(dir), { cause })
  }
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
  return new Fatal(`record/record.sqlite cannot be read: ${REPLACE} (${reason})`, { cause: error })
}
