import { existsSync, rmSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { Accounts } from '../../accounts/store.ts'
import { Fatal } from '../../core/errors.ts'
import { listSnapshots, readCheckpoint } from '../../store/checkpoint.ts'
import { Database, isLocked } from '../../store/database.ts'
import { findFormat, listPending, migrate, type OnMigration } from '../../store/migrations.ts'
import type { Paths } from '../../store/paths.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { fillOperators } from '../entities/operator-sides.ts'

/** The stores that nothing else can be made of. */
export interface Facts {
  index: Database
  accounts: Accounts
}

const RESTORE = 'put it back, or run `registry restore DIR` with a backup'
const RESTORE_INDEX = `${RESTORE}; with --keep-accounts it keeps the existing accounts`

/**
 * Opens the index and the accounts, and migrates the index. Throws, before anything is changed, where
 * one of them is missing, unreadable, of a format that this program cannot read, or has lost what the other
 * one knows.
 */
export async function openFacts(
  paths: Paths,
  tell?: OnMigration,
  migrations?: string,
): Promise<Facts> {
  if (!existsSync(paths.index) && hasTraces(paths)) {
    throw new Fatal(`index.duckdb is missing, and other stores exist: ${RESTORE_INDEX}`)
  }
  const index = await openStore(paths, paths.index, RESTORE_INDEX, file =>
    Database.open(file, { memoryLimit: '512MB' }),
  )
  try {
    const pending = await listPending(index, migrations)
    const accounts = await openAccounts(paths, index)
    try {
      if (pending.length > 0) dropDerived(paths)
      await migrate(index, tell, migrations)
      await fillOperators(index)
      await assertKnown(index, accounts)
    } catch (error) {
      accounts.close()
      throw error
    }
    return { index, accounts }
  } catch (error) {
    index.close()
    throw error
  }
}

/** Deletes what shows the rows as they were before a migration: healing and publishing make it again. */
function dropDerived({ checkpoint, searchCheckpoint, servingFile }: Paths): void {
  for (const file of [checkpoint, searchCheckpoint, servingFile]) rmSync(file, { force: true })
}

/** Tells whether there are files that were made from an index. */
function hasTraces(paths: Paths): boolean {
  const made = [
    paths.record,
    paths.oldAccounts,
    paths.servingFile,
    paths.checkpoint,
    paths.registry,
  ]
  return made.some(file => existsSync(file)) || listSnapshots(paths).length > 0
}

async function openAccounts(paths: Paths, index: Database): Promise<Accounts> {
  const file = paths.record
  const seq = hasContent(file) ? 0 : await findLastCommit(index)
  if (seq > 0) {
    throw new Fatal(
      `${relative(paths.dir, file)} is missing or empty, and the index has ${seq} commits: ${RESTORE}`,
    )
  }
  return openStore(paths, file, RESTORE, async () => Accounts.open(file))
}

/** Tells whether a file is there and not empty: SQLite takes an empty one for a new database. */
function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
}

async function findLastCommit(index: Database): Promise<number> {
  if ((await findFormat(index)) === undefined) return 0
  return (await index.oneOrThrow<{ seq: number }>('select seq from meta')).seq
}

async function openStore<Store>(
  paths: Paths,
  file: string,
  advice: string,
  open: (file: string) => Promise<Store>,
): Promise<Store> {
  try {
    return await open(file)
  } catch (error) {
    if (error instanceof Fatal) throw error
    const name = relative(paths.dir, file)
    if (isLocked(error)) {
      throw new Fatal(`another program has ${name} open: stop it first`, { cause: error })
    }
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Fatal(`${name} cannot be read: ${advice} (${reason})`, { cause: error })
  }
}

/**
 * Asserts that the accounts know every write of the index. The index hears of a write only when the
 * accounts have it on disk.
 */
async function assertKnown(index: Database, { db }: Accounts): Promise<void> {
  const last = await index.all<{ id: string }>(
    'select submission_id as id from submissions where seq = (select max(seq) from submissions)',
  )
  for (const { id } of last) {
    if (db.one('select 1 from submissions where submission_id = $id', { id })) continue
    throw new Fatal(
      'record/record.sqlite has lost writes that the index has, as happens when its log ' +
        `record.sqlite-wal is missing: ${RESTORE}`,
    )
  }
}

/** Describes commits that other stores show and the index lacks; undefined where it has all of them. */
export async function findLostCommits(
  paths: Paths,
  { index, accounts }: Facts,
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
  const done = accounts.db.one<{ seq: number | null }>(
    `select max(seq) as seq from submissions where (answer->'done') is not null`,
  )
  // The commit after its last may be half done: its submissions are delivered again.
  if ((done?.seq ?? 0) > seq + 1)
    return `it is at commit ${seq}, but the accounts are at ${done?.seq}`
  if (lastPublishedEvent !== undefined && (last === null || lastPublishedEvent > last)) {
    return `${lastPublishedEvent} was published as an event, but it does not have it`
  }
  return undefined
}

/** Throws the refusal to start on an index that lost commits. */
export function refuseOlderIndex(lost: string): never {
  throw new Fatal(
    `index.duckdb has lost commits, as happens when its log index.duckdb.wal is missing: ${lost}. ` +
      'Put the log back; or run `registry replay`, which repeats the writes of the accounts; ' +
      'or `registry restore DIR --keep-accounts` with a backup',
  )
}

/**
 * Counts writes that the accounts did in a commit that the index has not made. After a crash between the
 * two they are delivered again.
 */
export async function countUnfinished({ index, accounts }: Facts): Promise<number> {
  const meta = await index.one<{ seq: number }>('select seq from meta')
  const unfinished = accounts.db.oneOrThrow<{ writes: number }>(
    `select count(*) as writes from submissions where (answer->'done') is not null and seq > $seq`,
    { seq: meta?.seq ?? 0 },
  )
  return unfinished.writes
}

/**
 * Lists the ids of writes that the accounts answered and the index does not know; optionally without those
 * that are half done.
 */
export async function listUnknownToIndex(
  index: Database,
  accounts: Sqlite,
  { exceptUnfinished = false }: { exceptUnfinished?: boolean } = {},
): Promise<string[]> {
  const meta = await index.one<{ seq: number }>('select seq from meta')
  const done = accounts.all<{ id: string }>(
    `select submission_id as id from submissions where (answer->'done') is not null and seq != $unfinished`,
    { unfinished: exceptUnfinished ? (meta?.seq ?? 0) + 1 : -1 },
  )
  const rows = await index.all<{ id: string }>('select submission_id as id from submissions')
  const known = new Set(rows.map(({ id }) => id))
  return done.map(({ id }) => id).filter(id => !known.has(id))
}

/** Finds the number of the last commit that the accounts know; 0 before the first. */
export function findLastNumber(accounts: Sqlite): number {
  const last = accounts.oneOrThrow<{ seq: number }>(
    'select coalesce(max(seq), 0) as seq from submissions',
  )
  return last.seq
}

/** Has the next commit numbered after this one. */
export async function setNextNumber(index: Database, seq: number): Promise<void> {
  await index.write('update', 'meta', 'set seq = greatest(seq, $seq)', { seq })
}

/** Has the ids of later events follow this one. */
export async function setLastEvent(index: Database, eventId: string): Promise<void> {
  await index.write(
    'update',
    'meta',
    'set last_event_id = greatest(last_event_id, $id)',
    { id: eventId },
  )
}
