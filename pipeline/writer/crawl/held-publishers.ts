import { DAY, HOUR, type Instant, toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import type { OperationOf } from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'

/** A publisher with held-back removals (data/tables/held.sql). */
export interface HeldRow {
  rule: string
  subject: Domain
  reason: string
  grants: number
  properties: number
  since: string
  seq: number
}

/** Time after which a publisher is judged again, so that its file can be read again before. */
const REVIEW_MS = HOUR
const DECISION_TTL_MS = 7 * DAY

/** Loads the held publishers, the longest first. */
export function loadHeldRows(db: Database): Promise<HeldRow[]> {
  return db.all('select * from held order by since, subject')
}

/** Releases those of the domains that are held, and returns them. */
export async function releaseHeld(db: Database, domains: readonly Domain[]): Promise<Domain[]> {
  if (domains.length === 0) return []
  const named = { domains: JSON.stringify(domains) }
  const where = `rule = 'publisher' and subject in (select value from json_each($domains))`
  const rows = await db.all<{ subject: Domain }>(
    `select subject from held where ${where} order by subject`,
    named,
  )
  if (rows.length > 0) await db.write('delete from', 'held', `where ${where}`, named)
  return rows.map(({ subject }) => subject)
}

/** Answers to derive again after the brake was released or dropped for them. */
export interface ReleasedHold {
  invalidated: Invalidated[]
  /** Publishers whose answers apply, whatever they take. */
  released: Domain[]
}

/** Applies an operator's decisions about held publishers. */
export async function applyHeld(
  db: Database,
  operations: readonly OperationOf<'held.release' | 'held.drop'>[],
  stamp: { now: Instant; seq: number },
): Promise<ReleasedHold> {
  const unheld: ReleasedHold = { invalidated: [], released: [] }
  for (const { op, domains } of operations) {
    if (op === 'held.release') unheld.released.push(...(await releaseHeld(db, domains)))
    else unheld.invalidated.push(...(await drop(db, domains, stamp)))
  }
  return unheld
}

/**
 * Drops the answers that would have removed rows from held publishers: these are no longer held, and every
 * file that their answers are read from is due now.
 *
 * - A file whose last answer was not a success counts as found unchanged now: it is valid for another seven
 *   days, and the next failure counts as the first one. All answers that depend on it are derived again (these
 *   files are returned).
 * - A file that is valid, and whose content removes rows, keeps its earlier document. It is read again, and an
 *   hour from now the publisher is judged by its new content, by the brake too.
 */
async function drop(
  db: Database,
  domains: readonly Domain[],
  { now, seq }: { now: Instant; seq: number },
): Promise<Invalidated[]> {
  const dropped = await releaseHeld(db, domains)
  if (dropped.length === 0) return []
  await db.stage(
    'dropped',
    'subject text',
    dropped.map(subject => [subject]),
  )
  const at = { now: toIso(now), seq }
  await db.stageQuery(
    'dropped_files',
    'row_id integer primary key, kind text, location text, has_failed boolean',
    DROPPED_FILES,
    { now: toIso(now) },
  )
  await db.write('update', 'crawl_state', FORGET_FAILURES, {
    ...at,
    until: toIso(now + DECISION_TTL_MS),
  })
  db.notes?.forgetAttempts()
  await db.write('update', 'crawl_state', MAKE_DUE, at)
  await db.insert(
    'wakes',
    dropped.map(subject => ({ rule: 'publisher', subject, wakes_at: toIso(now + REVIEW_MS) })),
  )
  return db.all<Invalidated>(
    `select s.kind, s.location, false as "is_new [boolean]", hash is not null as "is_own [boolean]",
       null as known_until
     from crawl_state s join dropped_files f on f.row_id = s.rowid where f.has_failed
     order by s.kind, s.location`,
  )
}

const DROPPED_FILES = `
select s.rowid as row_id, s.kind, s.location,
  not coalesce(effect = 'success' and stale_at > ms($now)
    and ended_at > ms($now), attempted_at is null) as has_failed
from crawl_state s where (s.kind, s.location) in (
  select 'adagents.json', subject from dropped
  union all select d.kind, d.location from depends_on d
  where d.rule = 'publisher' and d.subject in (select subject from dropped))`

const FORGET_FAILURES = `as s set outcome = 'unchanged', effect = 'success', status = null,
  streak = 1, streak_since = ms($now), failures = 0, succeeded_at = ms($now),
  stale_at = ms($until), ended_at = ms($until), turns_at = ms($until),
  requested = false, seq = $seq
from dropped_files f where s.rowid = f.row_id and f.has_failed`

const MAKE_DUE = `as s set due_at = ms($now), priority = min(s.priority, 1), seq = $seq
from dropped_files f where s.rowid = f.row_id`
