import { statSync } from 'node:fs'
import { Accounts } from '../../accounts/store.ts'
import { Fatal } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { readCheckpoint } from '../../store/checkpoint.ts'
import { Database } from '../../store/database.ts'
import type { Paths } from '../../store/paths.ts'
import { openRecordReadOnly } from '../../store/record.ts'
import {
  describeLostRecord,
  describeRecovery,
  describeUnreadable,
  hasContent,
  hasOldIndex,
  hasTraces,
  PUT_LOG_BACK,
  readRecordFile,
} from '../../store/record-file.ts'
import { isAsSealed, isTampered, Seals } from '../../store/seals.ts'
import { assertUndamagedBeside } from '../../store/undamaged.ts'
import { fillOperators } from '../entities/operator-sides.ts'

/** Bytes of a record of which whoever waits for the start is told that it is read: seconds from a cold disk. */
const LONG_READ_BYTES = 100_000_000

/** The stores that nothing else can be made of. */
export interface Facts {
  index: Database
  accounts: Accounts
}

/**
 * Opens the record, into which an index of the version before is imported first. Throws, before anything is changed,
 * where it is missing, unreadable, or of a format that this program cannot read.
 */
export async function openFacts(paths: Paths, log?: Log): Promise<Facts> {
  // A warning, so that whoever waits for the start sees it.
  const tell = (progress: object) => log?.warn(progress, 'importing index.duckdb into the record')
  if (hasOldIndex(paths)) {
    // It loads DuckDB, which nothing else that opens the record needs.
    const { importIndex } = await import('../../store/columnar/import-index.ts')
    await importIndex(paths, tell)
  }
  assertRecord(paths)
  if (hasContent(paths.record) && !isAsSealed(paths, paths.record)) await readAll(paths, log)
  const accounts = readRecordFile(paths, file =>
    Accounts.open(file, indexes => log?.info({ indexes }, 'making indexes of the record')),
  )
  try {
    const index = new Database(accounts.db)
    await fillOperators(index)
    return { index, accounts }
  } catch (error) {
    accounts.close()
    throw error
  }
}

/**
 * Throws what to do where the record is missing or cannot be read, before anything serves it. Reads all of one that
 * something else has changed; of one that was not closed, only the first pages: its readers need not wait for the rest.
 */
export async function assertRecordBefore(paths: Paths): Promise<void> {
  assertRecord(paths)
  if (isTampered(paths, paths.record)) await readAll(paths)
}

/** Throws what to do where the record is missing, or its first pages show that it cannot be read. */
function assertRecord(paths: Paths): void {
  if (hasContent(paths.record)) readRecordFile(paths, readTables)
  else if (hasTraces(paths)) throw new Fatal(describeLostRecord(paths))
}

function readTables(file: string): void {
  const db = openRecordReadOnly(file)
  try {
    db.all('select name from sqlite_master')
  } finally {
    db.close()
  }
}

/** Reads all of a record that was not closed, or was changed since; throws what to do where that cannot be read. */
async function readAll(paths: Paths, log?: Log): Promise<void> {
  const { record } = paths
  const { size: bytes } = statSync(record)
  const level = bytes < LONG_READ_BYTES ? 'info' : 'warn'
  log?.[level]({ bytes }, 'reading all of the record, which was not closed or has changed since')
  try {
    await assertUndamagedBeside(record, 'readable')
  } catch (error) {
    throw describeUnreadable(paths, error)
  }
}

/** Closes the record, and remembers how, so that the next start need not read all of it. Only the writer may do it. */
export function closeFacts(paths: Paths, { accounts }: Facts, seals = Seals.open(paths)): void {
  try {
    accounts.close()
    // It may fail, as on a full disk.
    seals.note(paths.record)
  } finally {
    seals.close()
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
export function refuseOlderIndex(paths: Paths, lost: string): never {
  throw new Fatal(
    `record/record.sqlite has lost commits, as happens when its log record.sqlite-wal is missing (${lost}): ` +
      describeRecovery(paths, PUT_LOG_BACK),
  )
}

/** Has the next commit numbered after this one. */
export async function setNextNumber(index: Database, seq: number): Promise<void> {
  await index.write('update', 'meta', 'set seq = greatest(seq, $seq)', { seq })
}

/**
 * Has the ids of later events follow this one. Where the index ends before it, events that others may have seen are lost, and
 * the index says which.
 */
export async function setLastEvent(index: Database, eventId: string): Promise<void> {
  await index.transaction(async () => {
    const { last } = await index.oneOrThrow<{ last: string | null }>(
      'select last_event_id as last from meta',
    )
    if (last !== null && last >= eventId) return
    await index.insert('lost_events', [{ after_event_id: last, last_event_id: eventId }])
    await index.write('update', 'meta', 'set last_event_id = $eventId', { eventId })
  })
}
