import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { DAY, type Instant, toDay, toIso } from '../core/clock.ts'
import { toIdBytes, toInstant } from '../core/uuid-v7.ts'
import { eventTypeNames } from '../model/event.ts'
import { toTypeByte } from '../serving/event-block.ts'
import type { Entry, ServingStore } from '../serving/lmdb.ts'
import type { Database } from '../store/database.ts'
import type { Paths } from '../store/paths.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { forgetUnprojectedEvents } from '../store/unprojected.ts'

/**
 * Bytes that no document refers to are kept this long, since an observation with a document that refers to
 * them may still be on its way.
 */
const BODIES_RETENTION_MS = DAY

/** The last day that ISO 8601 writes with four digits. */
const NEVER = Date.parse('9999-12-31T00:00:00Z')

/** Days on which something was committed, newest first, from what every commit of its kind leaves. */
const EVENT_DAYS = 'select max(event_id) as id from events where event_id < $before'
const CRAWL_DAYS = 'select max(day) as day from crawl_days where day < $before'
const SUBMISSION_DAYS =
  'select max(submitted_at) as at from submissions where submitted_at < $before'

/**
 * Finds the time that retention counts from: not later than the clock, nor than the end of the last day with commits but
 * the newest. A clock that was wrong for seconds leaves commits of one day at most, so it makes nothing old. Undefined
 * while all commits are of one day.
 */
export async function findRetentionTime(
  { index, accounts }: { index: Database; accounts: Sqlite },
  now: Instant,
): Promise<Instant | undefined> {
  const newest = await findDayBefore(index, accounts, NEVER)
  const trusted = newest === undefined ? undefined : await findDayBefore(index, accounts, newest)
  return trusted === undefined ? undefined : Math.min(now, trusted + DAY)
}

/** Finds the start of the last UTC day with commits before an instant. */
async function findDayBefore(
  index: Database,
  accounts: Sqlite,
  before: Instant,
): Promise<Instant | undefined> {
  const event = await index.one<{ id: string | null }>(EVENT_DAYS, { before: buildFirstId(before) })
  const crawl = await index.one<{ day: string | null }>(CRAWL_DAYS, { before: toDay(before) })
  const submission = accounts.one<{ at: string | null }>(SUBMISSION_DAYS, {
    before: toIso(before),
  })
  const known = [
    event?.id ? toInstant(event.id) : undefined,
    crawl?.day ? Date.parse(`${crawl.day}T00:00:00Z`) : undefined,
    submission?.at ? Date.parse(submission.at) : undefined,
  ].filter(at => at !== undefined)
  return known.length === 0 ? undefined : Date.parse(`${toDay(Math.max(...known))}T00:00:00Z`)
}

/**
 * Deletes days of events beyond the reach of the feed. The day of the newest event stays, however
 * old, since a reader may continue after it.
 */
export async function dropOldEvents(
  index: Database,
  now: Instant,
  retentionDays: number,
): Promise<void> {
  const newest = await index.one<{ id: string | null }>('select max(event_id) as id from events')
  if (!newest?.id) return
  const day = toDay(Math.min(now - retentionDays * DAY, toInstant(newest.id)))
  await index.write('delete from', 'events', 'where event_id < $first', {
    first: buildFirstId(Date.parse(`${day}T00:00:00Z`)),
  })
  await forgetUnprojectedEvents(index)
}

/**
 * Deletes from the serving store and the event files what the index no longer has. Safe to repeat. Returns
 * the id of the oldest event; undefined if there is none.
 */
export async function followRetention(
  index: Database,
  serving: ServingStore,
  paths: Paths,
): Promise<string | undefined> {
  const oldest = await index.one<{ id: string | null }>('select min(event_id) as id from events')
  if (!oldest?.id) return undefined
  const gone = listBlocksBefore(serving, toIdBytes(oldest.id))
  if (gone.length > 0) serving.write(gone, serving.seq)
  const day = toDay(toInstant(oldest.id))
  for (const name of readdirSync(paths.events)) {
    if (name < `${day}.ndjson`) rmSync(`${paths.events}/${name}`)
  }
  return oldest.id
}

/**
 * Lists the blocks of events before an id. A block has events of one commit only, and a commit those of one
 * day, so blocks are deleted as a whole.
 */
function listBlocksBefore(serving: ServingStore, id: Buffer): Entry[] {
  const inLog = serving.keys('event', { below: id })
  const byType = eventTypeNames.flatMap(type => {
    const track = Buffer.from([toTypeByte(type)])
    return serving.keys('event_by_type', { after: track, below: Buffer.concat([track, id]) })
  })
  return [
    ...inLog.map((key): Entry => ({ space: 'event', key, value: undefined })),
    ...byType.map((key): Entry => ({ space: 'event_by_type', key, value: undefined })),
  ]
}

/** Deletes the bytes of documents that were replaced. */
export async function dropOldBodies(index: Database, paths: Paths, now: Instant): Promise<void> {
  const named = await index.all<{ hash: string }>('select hash from documents')
  const namedFiles = new Set(named.map(({ hash }) => `${hash}.gz`))
  for (const folder of listFolders(paths.bodies)) {
    for (const name of readdirSync(folder)) {
      const file = `${folder}/${name}`
      if (!namedFiles.has(name) && statSync(file).mtimeMs < now - BODIES_RETENTION_MS) rmSync(file)
    }
  }
}

/** Deletes the stores that an import has kept as they were: they hold private rows that are past their retention by now. */
export function dropOldStores({ old }: Paths, now: Instant, retentionDays: number): void {
  const found = statSync(old, { throwIfNoEntry: false })
  if (found && found.mtimeMs < now - retentionDays * DAY) rmSync(old, { recursive: true })
}

function listFolders(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`)
}

/** Builds the smallest id that an event of this instant can have. */
function buildFirstId(instant: Instant): string {
  const hex = instant.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
