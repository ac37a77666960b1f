import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { describeFullDisk } from '../core/disk-full.ts'
import { Fatal } from '../core/errors.ts'
import { listSnapshots } from './checkpoint.ts'
import type { Paths } from './paths.ts'
import { isOfThisVersion, openRecordReadOnly } from './record.ts'
import type { Sqlite } from './sqlite.ts'

/** Advice by hand where the record is missing, cannot be read, or lacks its log. */
export const PUT_BACK = 'put it back'
export const REPLACE = 'replace it with an intact copy'
export const PUT_LOG_BACK = 'put the log back'

/** Advice for a folder that ran with BACKUP_TO, by which no write is lost. */
const TAKE_OVER =
  'move record/ and tenure.json out of DATA_DIR and run `registry start` with the same BACKUP_TO and Redis'

/** Says how writes that a restore would lose are kept; undefined where only the record has them. */
export function describeTakeover({ tenure }: Pick<Paths, 'tenure'>): string | undefined {
  return existsSync(tenure) ? TAKE_OVER : undefined
}

/** Says how to get a record back that nothing else can be made of; first the way that loses no write. */
export function describeRecovery(paths: Pick<Paths, 'tenure'>, byHand: string): string {
  const takeover = describeTakeover(paths)
  const restore = 'run `registry restore DIR --force` with a backup'
  if (takeover === undefined) return `${byHand}, or ${restore}`
  return `to lose no write, ${takeover}. Only if Redis has lost its data, ${restore}, which loses later writes`
}

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
export function describeLostRecord(paths: Pick<Paths, 'behind' | 'dir' | 'tenure'>): string {
  if (existsSync(paths.behind))
    return `the record of ${paths.dir} is not here yet: another host writes, or its stores are being taken over. Wait for \`registry start\`, or run it`
  return `record/record.sqlite of ${paths.dir} is missing or empty, and other stores exist: ${describeRecovery(paths, PUT_BACK)}`
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
 * Opens the record for reading; undefined where it has no tables yet, because it is missing, or its writer is creating
 * it or was ended while it did. Says what to do where it cannot be read.
 */
export function openRecordFile(paths: Paths): Sqlite | undefined {
  if (!hasContent(paths.record)) return undefined
  const db = readRecordFile(paths, openRecordReadOnly)
  if (isOfThisVersion(db)) return db
  db.close()
  return undefined
}

/**
 * Says what to do where the record cannot be read. Throws what hinders this process, and no other: the rights of its
 * user, or a disk without room for what SQLite writes beside the record. SQLite names neither.
 */
export function describeUnreadable(paths: Paths, error: unknown): Fatal {
  if (error instanceof Fatal) return error
  const { dir, record } = paths
  accessSync(record, constants.R_OK | constants.W_OK)
  if (statfsSync(dir).bavail === 0) {
    const cause = Object.assign(new Error('no room', { cause: error }), { code: 'ENOSPC' })
    return new Fatal(describeFullDisk(dir), { cause })
  }
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
  return new Fatal(
    `record/record.sqlite cannot be read (${reason}): ${describeRecovery(paths, REPLACE)}`,
    { cause: error },
  )
}
