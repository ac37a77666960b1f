import { HOUR, type Instant } from '../../core/clock.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import { type CrawlTarget, PARSER_VERSION } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import { reasons } from './newcomer.ts'

export type DueTarget = CrawlTarget & { priority: number }

/** Selects due files: requested ones, or all others. */
export type Due = 'requested' | 'others'

interface Which {
  which?: Due
  since?: Instant
}

/** Priorities, the most wanted first. */
const LEVELS = [...new Set(Object.values(reasons))].sort((a, b) => a - b)

const levels: Record<Due, readonly number[]> = {
  requested: [reasons.requested],
  others: LEVELS.filter(level => level !== reasons.requested),
}

/**
 * Priority of a file. Agents are probed every day (recrawl-schedule.ts), so they come before the files of a night, which
 * may take most of one. Together with `TURN` it is an index of the table: the next of millions are the first it lists.
 */
const WANTED = `if(kind = 'agent', min(priority, ${reasons.hop}), priority)`

/**
 * Order among files of equal priority: requested files in the order of the requests; files that became due
 * within one hour in the order in which they are stored. A commit then writes to a few adjacent pages instead
 * of to nearly all of them: with 10^5 domains 18.7 µs of processor time a file, and 31 µs by the minute. Those of the present
 * hour that are not due yet are read too.
 */
const TURN = `if(priority = ${reasons.requested}, due_at, due_at / ${HOUR} * ${HOUR})`

/**
 * Loads due files, the most wanted first, with the state that a crawler needs for conditional requests.
 * Files of one location are adjacent. With `since`, only those that became due since then, without
 * mentions.
 */
export async function loadDueTargets(
  db: Database,
  now: Instant,
  limit: number,
  which: Which = {},
): Promise<DueTarget[]> {
  return [...(await iterateDue(db, now, limit, which))]
}

/** Iterates over due files: of a hundred thousand most are skipped. */
export async function iterateDue(
  db: Database,
  now: Instant,
  limit: number,
  { which, since }: Which = {},
): Promise<Iterable<DueTarget>> {
  const ids: number[] = []
  const newer =
    since === undefined
      ? ''
      : `and ${TURN} >= $turn and due_at >= $since and priority < ${reasons.mentioned}`
  // Computed here: numbers are bound as real ones, which divide without a remainder.
  const turn = since === undefined ? null : Math.floor(since / HOUR) * HOUR
  for (const wanted of which === undefined ? LEVELS : levels[which]) {
    if (since !== undefined && wanted === reasons.mentioned) break
    const found = await db.values(
      `select rowid from crawl_state where ${WANTED} = $wanted and ${TURN} <= $now and due_at <= $now ${newer}
       order by ${TURN}, rowid limit $limit`,
      { wanted, now, since: since ?? null, turn, limit: limit - ids.length },
    )
    for (const [id] of found) ids.push(Number(id))
    if (ids.length === limit) break
  }
  if (ids.length === 0) return []
  const rows = await db.texts(
    ['kind', 'location', 'priority', 'etag', 'last_modified', 'hash', '(select seq from meta)'],
    'crawl_state where rowid in (select value from json_each($ids))',
    { ids: JSON.stringify(ids) },
    `${WANTED}, ${TURN}, location, kind`,
  )
  return toTargets(rows)
}

/** Finds the time at which the next file is due; undefined if there is none. */
export async function findNextDue(db: Database): Promise<Instant | undefined> {
  let next: Instant | undefined
  for (const wanted of LEVELS) {
    const first = `select ${TURN} from crawl_state where ${WANTED} = $wanted and due_at is not null
      order by ${TURN} limit 1`
    const row = await db.one<{ at: number | null }>(
      `select min(due_at) as at from crawl_state
       where ${WANTED} = $wanted and ${TURN} = (${first}) and due_at is not null`,
      { wanted },
    )
    const at = row?.at ?? undefined
    if (at !== undefined && (next === undefined || at < next)) next = at
  }
  return next
}

function* toTargets(rows: Iterable<string[]>): Generator<DueTarget> {
  for (const [
    kind,
    location = '',
    priority,
    etag = '',
    lastModified = '',
    hash = '',
    afterSeq,
  ] of rows) {
    yield {
      kind: kind as SourceKind,
      location,
      priority: Number(priority),
      ...(afterSeq !== '' && { after_seq: Number(afterSeq) }),
      ...(hash.startsWith(`${PARSER_VERSION}-`) && {
        hash,
        ...(etag !== '' && { etag }),
        ...(lastModified !== '' && { last_modified: lastModified }),
      }),
    }
  }
}
