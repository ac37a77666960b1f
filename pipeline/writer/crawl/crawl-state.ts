import type { Instant } from '../../core/clock.ts'
import { getEffect } from '../../core/outcomes.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import { isUrl, type Observation, type Source } from '../../model/observation.ts'
import type { AttemptedFile } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import {
  addCrawlRows,
  type CrawlRow,
  isLater,
  keepLatest,
  loadCrawlRows,
  updateCrawlRows,
} from './crawl-rows.ts'
import type { RecrawlContext } from './recrawl-schedule.ts'
import { computeTransition, type Transition } from './transitions.ts'

/** The attempts that a batch applied, and the files whose answers must be derived again because of them. */
export interface AppliedAttempts {
  attempts: readonly Transition[]
  invalidated: Invalidated[]
}

/**
 * Applies a batch of observations to crawl_state. An observation that is not later than the last one of its file is
 * ignored, so a batch may be delivered twice.
 */
export async function applyObservations(
  db: Database,
  observations: readonly Observation[],
  recrawling: RecrawlContext,
): Promise<AppliedAttempts> {
  const latest = keepLatest(observations)
  const rows = await loadRows(db, latest, recrawling)
  const attempts: Transition[] = []
  for (const [place, observation] of latest.entries()) {
    const row = rows[place]
    if (row === undefined || !isLater(observation, row)) continue
    attempts.push(computeTransition(row, observation, recrawling))
  }
  await writeRows(db, attempts)
  await storeFinalAddresses(db, attempts, recrawling)
  return { attempts, invalidated: await findInvalidated(db, attempts) }
}

/** Loads the rows of files. One that has none gets it, but an agent was forgotten while it was probed, and stays so. */
async function loadRows(
  db: Database,
  files: readonly Source[],
  { seq }: RecrawlContext,
): Promise<(CrawlRow | undefined)[]> {
  const rows = await loadCrawlRows(db, files)
  const missing = files.filter(({ kind }, place) => !rows[place] && kind !== 'agent')
  if (missing.length === 0) return rows
  await addCrawlRows(db, missing, seq)
  return loadCrawlRows(db, files)
}

/** Writes the new states: of a file with the same answer as before only times and counts. */
async function writeRows(db: Database, attempts: readonly Transition[]): Promise<void> {
  const times: CrawlRow[] = []
  const results: CrawlRow[] = []
  for (const { before, after, hasChanged } of attempts) {
    const isMore = hasChanged || after.took_ms !== before.took_ms
    ;(isMore ? results : times).push(after)
  }
  await updateCrawlRows(db, times, { withResult: false })
  await updateCrawlRows(db, results, { withResult: true })
  db.notes?.noteAttempts(attempts.map(({ after }) => after as AttemptedFile))
}

const HAS_FALLBACK = `select 1 from crawl_state where kind = 'ads.txt' and location = $location`
const IS_NEEDED = 'select 1 from depends_on where kind = $kind and location = $location limit 1'

/**
 * Finds the files whose answers must be derived again. A failing house is trusted only for a time
 * (resolve/brand-house.ts), so its brands are invalidated. The answer of a domain's file also decides whether its
 * ads.txt may be used instead.
 */
async function findInvalidated(
  db: Database,
  attempts: readonly Transition[],
): Promise<Invalidated[]> {
  const invalidated: Invalidated[] = []
  for (const attempt of attempts) {
    const { before, observation, isNew, changesValidity } = attempt
    const { kind, location } = before
    const isOwn =
      isNew ||
      (before.hash !== null && changesValidity) ||
      (isOtherOutcome(attempt) && (await db.one(HAS_FALLBACK, { location })) !== undefined)
    const isFirst = before.attempted_at === null
    const mayMatter = isFirst || changesValidity || isOtherEffect(attempt)
    if (!isOwn && !(mayMatter && (await db.one(IS_NEEDED, { kind, location })))) continue
    const previous = observation.observed_at - 1
    const known_until = isNew ? Math.min(before.attempted_at ?? previous, previous) : null
    invalidated.push({ kind, location, is_new: isNew, is_own: isOwn, known_until })
  }
  return invalidated.sort(compareSources)
}

/** Tells whether a brand.json has begun or ceased to answer, or answers otherwise. */
function isOtherEffect({ before, after, effect }: Transition): boolean {
  if (before.kind !== 'brand.json') return false
  const wasUnreachable = before.outcome !== null && getEffect(before.outcome) === 'unreachable'
  const hasTurned = before.outcome !== null && wasUnreachable !== (effect === 'unreachable')
  return after.effect !== before.effect || hasTurned
}

/** Tells whether an adagents.json fails otherwise than before. */
function isOtherOutcome({ before, observation, effect }: Transition): boolean {
  return (
    before.kind === 'adagents.json' &&
    observation.outcome !== before.outcome &&
    (effect !== 'success' || before.effect !== 'success')
  )
}

/** Compares sources by kind and location, which are ASCII. */
function compareSources(a: Invalidated, b: Invalidated): number {
  return a.kind === b.kind ? (a.location < b.location ? -1 : 1) : a.kind < b.kind ? -1 : 1
}

const FIND_MOVED = `
select d.rowid, w.value ->> 3
from json_each($read) w cross join documents d on d.location = w.value ->> 0 and d.kind = w.value ->> 1
where coalesce(w.value ->> 2, d.hash) = d.hash and w.value ->> 3 is distinct from d.resolved_url`

const ANY_ADDRESS = 'select 1 from documents where resolved_url is not null limit 1'

/** Tells whether a file was read again, by the observation that was applied and not by an older one. */
function isReadAgain({ observation, after, effect }: Transition): boolean {
  const { outcome, hash, observed_at } = observation
  const isFile = outcome === 'unchanged' || Boolean(hash)
  return effect === 'success' && isFile && observed_at === after.attempted_at
}

/**
 * Stores from which address files were read in the end, where only that has changed: their content and its time stay
 * as they are.
 */
async function storeFinalAddresses(
  db: Database,
  attempts: readonly Transition[],
  { seq }: { seq: number },
): Promise<void> {
  const read = attempts.filter(isReadAgain)
  const isRedirected = read.some(({ observation }) => observation.resolved_url)
  if (!isRedirected && (await db.one(ANY_ADDRESS)) === undefined) return
  const files = read.map(({ observation: { kind, location, outcome, hash, resolved_url } }) => {
    return [location, kind, outcome === 'unchanged' ? null : hash, resolved_url || null]
  })
  const moved = await db.values(FIND_MOVED, { read: JSON.stringify(files) })
  const write = 'set resolved_url = ?, seq = ? where rowid = ?'
  await db.writeEach('update', 'documents', write, moved, ([id = 0, address = null]) => [
    address,
    seq,
    id,
  ])
}

/** Most files whose state turns in one commit: after a week of standing still every file's does. */
const TURNED_AT_ONCE = 2_000

/** Files whose state time has changed. */
export interface Turned {
  files: Invalidated[]
  /** Number of files that are left to the next commits. */
  left: number
}

/** Applies transitions of files whose validity has changed only because of the time, the earliest first. */
export async function applyTransitions(db: Database, now: Instant): Promise<Turned> {
  const found = await db.all<Invalidated & { id: number }>(
    `select rowid as id, kind, location, false as "is_new [boolean]", hash is not null as "is_own [boolean]",
       null as known_until
     from (select rowid, * from crawl_state where turns_at <= $now
       order by turns_at, rowid limit ${TURNED_AT_ONCE})
     order by kind, location`,
    { now },
  )
  if (found.length === 0) return { files: [], left: 0 }
  await db.write(
    'update',
    'crawl_state',
    `set priority = priority, turns_at = least(
       if(stale_at > $now, stale_at, null),
       if(ended_at > $now, ended_at, null))
     where rowid in (select value from json_each($ids))`,
    { now, ids: JSON.stringify(found.map(({ id }) => id)) },
  )
  const files = found.map(({ id: _, ...file }) => file)
  return { files, left: files.length < TURNED_AT_ONCE ? 0 : await countTurned(db, now) }
}

async function countTurned(db: Database, now: Instant, condition = 'true'): Promise<number> {
  const { n } = await db.oneOrThrow<{ n: number }>(
    `select count(*) as n from crawl_state where turns_at <= $now and ${condition}`,
    { now },
  )
  return n
}

const OF_PUBLISHERS = `hash is not null and kind in ('adagents.json', 'ads.txt')
  and not contains(location, '://')`

/** Tells whether a publisher's own document turned: only such a file takes rows away by itself. */
export function isOfPublisher({ kind, location, is_own }: Invalidated): boolean {
  return is_own && (kind === 'adagents.json' || kind === 'ads.txt') && !isUrl(location)
}

/** Counts the files like that which are left to the next commits. */
export function countLeftOfPublishers(db: Database, now: Instant): Promise<number> {
  return countTurned(db, now, OF_PUBLISHERS)
}
