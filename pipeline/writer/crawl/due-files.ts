import { HOUR, type Instant, toIso } from '../../core/clock.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import { type CrawlTarget, PARSER_VERSION } from '../../model/observation.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { reasons } from './newcomer.ts'

export type DueTarget = CrawlTarget & { priority: number }

/** Selects due files: requested ones, or all others. */
export type Due = 'requested' | 'others'

interface Which {
  which?: Due
  since?: Instant
}

const priorities: Record<Due, string> = {
  requested: `priority = ${reasons.requested}`,
  others: `priority > ${reasons.requested}`,
}

/**
 * Priority of a file. Agents are probed every day (recrawl-schedule.ts), so they come before the files
 * of a night, which may take most of one.
 */
const WANTED = `if(kind = 'agent', min(priority, ${reasons.hop}), priority)`

/**
 * Order among files of equal priority: requested files in the order of the requests; files that became due
 * within one hour in the order in which they are stored. A commit then writes to a few adjacent pages instead
 * of to nearly all of them.
 */
const TURN = `if(priority = ${reasons.requested}, due_at,
  due_at / ${HOUR} * ${HOUR})`

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
  if (which === 'requested' && !(await isAnyRequested(db))) return []
  const conditions = [
    'due_at <= ms($now)',
    ...(which === undefined ? [] : [priorities[which]]),
    ...(since === undefined ? [] : ['due_at >= ms($since) and priority < 3']),
  ]
  const parameters = { now: toIso(now), ...(since !== undefined && { since: toIso(since) }) }
  const last = await findLastGroup(db, conditions, parameters, limit)
  if (last === undefined) return []
  const rows = await db.texts(
    ['kind', 'location', 'priority', 'etag', 'last_modified', 'hash', '(select seq from meta)'],
    // Which files those are is found without their texts: of millions, that is most of the work.
    `crawl_state where rowid in (
       select rowid from crawl_state where ${[...conditions, UP_TO_LAST].join(' and ')}
       order by ${WANTED}, ${TURN}, rowid limit $limit)`,
    { ...parameters, limit, ...last },
    `${WANTED}, ${TURN}, location, kind`,
  )
  return toTargets(rows)
}

/** Files of equal priority and turn, which are ordered only by where they are stored. */
interface Group {
  wanted: number
  turn: number
}

const UP_TO_LAST = `(${WANTED} < $wanted or (${WANTED} = $wanted and ${TURN} <= $turn))`

/**
 * Finds the group up to which the first `limit` files reach; undefined if none is due. To count millions of files by
 * group, and to sort those up to the last one, takes a third of the time of sorting all.
 */
async function findLastGroup(
  db: Database,
  conditions: readonly string[],
  parameters: Parameters,
  limit: number,
): Promise<Group | undefined> {
  const groups = await db.all<Group & { files: number }>(
    `select ${WANTED} as wanted, ${TURN} as turn, count(*) as files from crawl_state
     where ${conditions.join(' and ')} group by 1, 2 order by wanted, turn`,
    parameters,
  )
  let counted = 0
  let last: Group | undefined
  for (const { files, ...group } of groups) {
    last = group
    counted += files
    if (counted >= limit) break
  }
  return last
}

/** Finds the time at which the next file is due; undefined if there is none. */
export async function findNextDue(db: Database): Promise<Instant | undefined> {
  const row = await db.one<{ at: number | null }>('select min(due_at) as at from crawl_state')
  return row?.at ?? undefined
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

/** Tells whether any crawl is requested. Called often, and mostly the answer is no. */
async function isAnyRequested(db: Database): Promise<boolean> {
  const sql = `select 1 from crawl_state where ${priorities.requested} limit 1`
  return (await db.one(sql)) !== undefined
}
