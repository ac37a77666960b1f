import { type Instant, SECOND, toIso } from '../../core/clock.ts'
import { advance, type DueSource } from '../../diff/crawl-request.ts'
import { isSameValue } from '../../diff/diff.ts'
import type { Attempt, CrawlRequestRow } from '../../model/crawl-request.ts'
import { type Observation, toSourceKey } from '../../model/observation.ts'
import type { OperationOf } from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'
import { addHops } from './frontier.ts'
import { listNeededFiles, toGroup } from './requested-files.ts'
import type { Transition } from './transitions.ts'

interface CommitStamp {
  now: Instant
  seq: number
}

/** Records a request; `settleRequests` of the same commit makes its files due. */
export async function openRequest(
  db: Database,
  { crawl_request_id, scope, domain }: OperationOf<'crawl.request'>,
  { now, seq }: CommitStamp,
): Promise<void> {
  const row: CrawlRequestRow = {
    crawl_request_id,
    scope,
    domain,
    status: 'queued',
    attempts: 0,
    requested_at: toIso(now),
    requested_seq: seq,
    started_at: null,
    last_attempted_at: null,
    completed_at: null,
    next_attempt_at: null,
    last_error_code: null,
    files: [],
    seq,
    publishers: scope === 'manager' ? await countPublishers(db, domain) : null,
  }
  await db.insert('shown_crawl_requests', [row])
}

/** Counts publishers whose answer is read from a file of this manager. */
async function countPublishers(db: Database, domain: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    `select count(distinct subject) as n from depends_on
     where rule = 'publisher' and kind = 'adagents.json' and subject != $domain
       and (location = $domain or starts_with(location, 'https://' || $domain || '/'))`,
    { domain },
  )
  return row?.n ?? 0
}

/**
 * Advances open requests by the attempts of this commit, after answers were derived again, so that a request
 * is completed in the commit that shows its result. Files that it still needs become due.
 */
export async function settleRequests(
  db: Database,
  {
    attempts: applied,
    poison = [],
  }: {
    attempts: readonly Transition[]
    poison?: readonly { observation: Observation }[] | undefined
  },
  { now, seq, takenDown }: CommitStamp & { takenDown: TakenDown },
): Promise<void> {
  const read = () => loadOpenRequests(db)
  const open = await db.written.memo('open requests', '', ['shown_crawl_requests'], read)
  if (open.length === 0) return
  const needed = await listNeededFiles(db, open, takenDown)
  const attempts = new Map(
    [
      ...applied.map(toAttempt),
      ...poison.map(({ observation }) => toPoisonAttempt(observation)),
    ].map(attempt => [toSourceKey(attempt), attempt]),
  )
  const settled = open.map(request => ({
    before: request,
    ...advance(request, needed.get(toGroup(request)) ?? [], attempts, now),
  }))
  const changed = settled.filter(({ before, request }) => !isSameValue(before, request))
  await replaceRequests(
    db,
    changed.map(({ request }) => ({ ...request, seq })),
  )
  await releaseFiles(
    db,
    changed.flatMap(({ request }) => (request.completed_at === null ? [] : [request])),
  )
  await makeFilesDue(
    db,
    settled.flatMap(({ dueSources: wanted }) => wanted),
    { now, seq, takenDown },
  )
}

function loadOpenRequests(db: Database): Promise<CrawlRequestRow[]> {
  return db.all(
    'select * from shown_crawl_requests where completed_at is null order by requested_seq, crawl_request_id',
  )
}

function toAttempt({ observation }: Transition): Attempt {
  const { kind, location, observed_at: at, outcome, status, retry_after_s, after_seq } = observation
  const not_before = retry_after_s === undefined ? null : at + retry_after_s * SECOND
  return {
    kind,
    location,
    at,
    outcome,
    status: status ?? null,
    after_seq: after_seq ?? -1,
    not_before,
  }
}

function toPoisonAttempt({ kind, location, observed_at, after_seq = -1 }: Observation): Attempt {
  const at = Number.isFinite(observed_at) ? observed_at : 0
  return { kind, location, at, after_seq, outcome: 'quarantined', status: null, not_before: null }
}

async function replaceRequests(db: Database, rows: readonly CrawlRequestRow[]): Promise<void> {
  await deleteRows(
    db,
    'shown_crawl_requests',
    'crawl_request_id',
    rows.map(({ crawl_request_id }) => crawl_request_id),
  )
  await db.insert('shown_crawl_requests', rows)
}

/** Returns the files of completed requests to their ordinary schedule. */
async function releaseFiles(db: Database, over: readonly CrawlRequestRow[]): Promise<void> {
  if (over.length === 0) return
  const locations = over.flatMap(({ domain, files }) => [
    domain,
    ...files.map(({ location }) => location),
  ])
  await db.write(
    'update',
    'crawl_state',
    `set priority = 2
     where priority = 0 and location in (select value from json_each($locations))`,
    { locations: JSON.stringify([...new Set(locations)]) },
  )
}

/** Makes requested files due, before all others. */
async function makeFilesDue(
  db: Database,
  wanted: readonly DueSource[],
  stamp: CommitStamp & { takenDown: TakenDown },
): Promise<void> {
  if (wanted.length === 0) return
  await addHops(db, wanted, stamp)
  await db.stage(
    'wanted',
    'kind text, location text, due_ms integer, is_own boolean',
    wanted.map(({ kind, location, due_at, is_own }) => [kind, location, due_at, is_own]),
  )
  await db.write(
    'update',
    'crawl_state',
    `as s set due_at = w.due_ms, priority = 0,
       requested = s.requested or w.is_own
     from (select kind, location, min(due_ms) as due_ms, max(is_own) as is_own
           from wanted group by kind, location) w
     where s.kind = w.kind and s.location = w.location`,
  )
}
