import { existsSync } from 'node:fs'
import { Accounts } from '../../accounts/store.ts'
import { Fatal } from '../../core/errors.ts'
import { listSnapshots, readCheckpoint } from '../../store/checkpoint.ts'
import { Database } from '../../store/database.ts'
import {
  hasContent,
  hasOldIndex,
  type Importing,
  importIndex,
  RESTORE,
} from '../../store/import-index.ts'
import type { Paths } from '../../store/paths.ts'
import { assertReadable } from '../../store/record.ts'
import { isAsSealed, Seals } from '../../store/seals.ts'
import { fillOperators } from '../entities/operator-sides.ts'

/** The stores that nothing else can be made of. */
export interface Facts {
  index: Database
  accounts: Accounts
}

/**
 * Opens the record, into which an index of the version before is imported first. Throws, before anything is changed,
 * where it is missing, unreadable, or of a format that this program cannot read.
 */
export async function openFacts(
  paths: Paths,
  tell?: (progress: Importing) => void,
): Promise<Facts> {
  if (hasOldIndex(paths)) await importIndex(paths, tell)
  if (!hasContent(paths.record) && hasTraces(paths)) {
    throw new Fatal(describeLostRecord(paths.dir))
  }
  const accounts = readRecordFile(paths, file => {
    if (hasContent(file) && !isAsSealed(paths, file)) assertReadable(file)
    return Accounts.open(file)
  })
  try {
    const index = new Database(accounts.db)
    await fillOperators(index)
    return { index, accounts }
  } catch (error) {
    accounts.close()
    throw error
  }
}

/** Closes the record, and remembers how, so that the next start need not read all of it. Only the writer may do it. */
export function closeFacts(paths: Paths, { accounts }: Facts, seals = Seals.open(paths)): void {
  accounts.close()
  seals.note(paths.record)
  seals.close()
}

/** Says what to do where only what was made from the record is left. */
export function describeLostRecord(dir: string): string {
  return `record/record.sqlite of ${dir} is missing or empty, and other stores exist: ${RESTORE}`
}

/** Tells whether there are files that were made from a record. */
export function hasTraces(paths: Paths): boolean {
  const made = [paths.servingFile, paths.checkpoint, paths.registry]
  return made.some(file => existsSync(file)) || listSnapshots(paths).length > 0
}

/** Reads the record, or what says something of it; says what to do where that cannot be read. */
export function readRecordFile<Result>(paths: Paths, read: (file: string) => Result): Result {
  try {
    return read(paths.record)
  } catch (error) {
    if (error instanceof Fatal) throw error
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Fatal(`record/record.sqlite cannot be read: ${RESTORE} (${reason})`, { cause: error })
  }
}

/** Describes commits that other stores show and the index lacks; undefined where it has all of them. */
export async function findLostCommits(
  paths: Paths,
  { index }: Pick<Facts, 'index'>,
  {
    seq: servingSeq,
    lastEvent: lastPublishedEvent,
  }: { seq: number; lastEvent: string | undefined },
): Promise<string | undefined> {
  const meta = await index.one<{ seq: number; last: string | null }>(
    'select seq, last_event_id as last from meta',
  )
  const { seq = 0, last = null } = meta ?? {}
  const shown = Math.max(servingSeq, readCheckpoint(paths)?.seq ?? 0)
  if (shown > seq) return `it is at commit ${seq}, but ${shown} was served`
  if (lastPublishedEvent !== undefined && (last === null || lastPublishedEvent > last)) {
    return `${lastPublishedEvent} was published as an event, but it does not have it`
  }
  return undefined
}

/** Throws the refusal to start on an index that lost commits. */
export function refuseOlderIndex(lost: string): never {
  throw new Fatal(
    `record/record.sqlite has lost commits, as happens when its log record.sqlite-wal is missing: ${lost}. ` +
      'Put the log back, or run `registry restore DIR` with a backup',
  )
}

/** Has the next commit numbered after this one. */
export async function setNextNumber(index: Database, seq: number): Promise<void> {
  await index.write('update', 'meta', 'set seq = greatest(seq, $seq)', { seq })
}

/** Has the ids of later events follow this one. */
export async function setLastEvent(index: Database, eventId: string): Promise<void> {
  await index.write('update', 'meta', 'set last_event_id = greatest(last_event_id, $id)', {
    id: eventId,
  })
}
