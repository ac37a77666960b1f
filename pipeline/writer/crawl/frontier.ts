import { HOUR, type Instant, toIso } from '../../core/clock.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import { type CrawlTarget, PARSER_VERSION, type Source } from '../../model/observation.ts'
import { type Database, toListExpression } from '../../store/duckdb.ts'
import { nothingTakenDown, type TakenDown } from '../../store/takedown-set.ts'
import { addFewDomains } from './frontier-small.ts'
import { type Newcomer, reasons } from './newcomer.ts'

/** Up to so many domains are looked up by themselves. */
const SMALL_ADD_MAX = 100

interface Adding {
  now: Instant
  seq: number
  /** Domains to leave out. */
  takenDown?: TakenDown
}

/**
 * Adds domains: both of their files become due at once. A domain that is known already only moves
 * forward in the queue when the new reason is better. Beyond `max` domains, mentions are dropped.
 */
export async function addDomains(
  db: Database,
  all: readonly Newcomer[],
  { now, seq, max, takenDown = nothingTakenDown }: Adding & { max: number },
): Promise<void> {
  const newcomers = all.filter(({ domain }) => !takenDown.covers(domain))
  if (newcomers.length === 0) return
  if (newcomers.length <= SMALL_ADD_MAX) return addFewDomains(db, newcomers, { now, seq, max })
  await db.run(`create or replace temp table newcomers (domain varchar, why varchar, turn double)`)
  await db.append(
    'newcomers',
    newcomers.map(({ domain, why }) => [domain, why, reasons[why]]),
  )
  const at = { now: toIso(now) }
  await db.run(
    `insert into frontier
     select domain, arg_min(why, turn), $now::timestamptz from newcomers
     anti join frontier using (domain) group by domain order by min(turn), domain
     limit greatest(0, $max - (select count(*) from frontier))`,
    { ...at, max },
  )
  await db.run(
    `insert into crawl_state (kind, location, priority, streak, due_at, requested, seq)
     select kind, domain, min(turn)::utinyint, 0, $now::timestamptz, false, $seq
     from newcomers semi join frontier using (domain)
     cross join (values ('brand.json'), ('adagents.json')) kinds(kind)
     anti join crawl_state s on s.kind = kinds.kind and s.location = newcomers.domain
     group by kind, domain order by domain, kind`,
    { ...at, seq },
  )
  await db.run(
    `update crawl_state s set priority = n.turn::utinyint
     from (select domain, min(turn) as turn from newcomers group by domain) n
     where s.location = n.domain and n.turn < s.priority`,
  )
}

/** Makes the files that derivations asked for known, so that they are fetched next. */
export async function addHops(
  db: Database,
  all: readonly Source[],
  { now, seq, takenDown = nothingTakenDown }: Adding,
): Promise<void> {
  const sources = all.filter(({ location }) => !takenDown.covers(location))
  if (sources.length === 0) return
  await db.run('create or replace temp table hops (kind varchar, location varchar)')
  await db.append(
    'hops',
    sources.map(({ kind, location }) => [kind, location]),
  )
  await db.run(
    `insert into crawl_state (kind, location, priority, streak, due_at, requested, seq)
     select distinct kind, location, 1, 0, $now::timestamptz, false, $seq from hops
     anti join crawl_state using (kind, location)`,
    { now: toIso(now), seq },
  )
  await db.run(
    `update crawl_state s set priority = 1 from hops h
     where s.kind = h.kind and s.location = h.location and s.priority > 1
       and s.attempted_at is null`,
  )
}

/** Makes the files of domains due now. */
export async function makeDue(
  db: Database,
  domains: readonly string[],
  now: Instant,
): Promise<void> {
  await db.run(
    `update crawl_state set due_at = $now::timestamptz
     where location in (select unnest(${toListExpression('$domains')}))`,
    { now: toIso(now), domains: JSON.stringify(domains) },
  )
}

export type DueTarget = CrawlTarget & { priority: number }

/** Selects due files: those that a person asked for, or all others. */
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
const WANTED = `if(kind = 'agent', least(priority, ${reasons.hop}), priority)`

/**
 * Order among files of equal priority: requested files in the order of the requests; files that became
 * due within one hour in the order in which they lie in the stores. So what is committed together lies
 * together, and costs a commit a few pages instead of some of nearly every one.
 */
const TURN = `if(priority = ${reasons.requested}, epoch_ms(due_at),
  epoch_ms(due_at) // ${HOUR} * ${HOUR})`

/**
 * Files that are due, the most wanted first, with what a crawler needs to ask for them politely. Those
 * of one location stand together. With `since`, only those made due since then, mentions left out.
 */
export async function loadDueTargets(
  db: Database,
  now: Instant,
  limit: number,
  which: Which = {},
): Promise<DueTarget[]> {
  return [...(await iterateDue(db, now, limit, which))]
}

/** Iterates over due files: most of a hundred thousand are only looked at. */
export async function iterateDue(
  db: Database,
  now: Instant,
  limit: number,
  { which, since }: Which = {},
): Promise<Iterable<DueTarget>> {
  if (which === 'requested' && !(await isAnyRequested(db))) return []
  const conditions = [
    'due_at <= $now::timestamptz',
    ...(which === undefined ? [] : [priorities[which]]),
    ...(since === undefined ? [] : ['due_at >= $since::timestamptz and priority < 3']),
  ]
  const rows = await db.texts(
    ['kind', 'location', 'priority', 'etag', 'last_modified', 'hash', '(select seq from meta)'],
    // Which files those are is found without their texts: of millions, that is most of the work.
    `crawl_state where rowid in (
       select rowid from crawl_state where ${conditions.join(' and ')}
       order by ${WANTED}, ${TURN}, rowid limit $limit)`,
    { now: toIso(now), limit, ...(since === undefined ? {} : { since: toIso(since) }) },
    `${WANTED}, ${TURN}, location, kind`,
  )
  return toTargets(rows)
}

/** Finds the time at which the next file is due, or has been due since; undefined where there is none. */
export async function findNextDue(db: Database): Promise<Instant | undefined> {
  const row = await db.one<{ at: number | null }>(
    'select epoch_ms(min(due_at))::double as at from crawl_state',
  )
  return row?.at ?? undefined
}

function* toTargets(rows: Iterable<string[]>): Generator<DueTarget> {
  for (const [kind, location, priority, etag, lastModified, hash, afterSeq] of rows) {
    yield {
      kind: kind as SourceKind,
      location: location!,
      priority: Number(priority),
      ...(afterSeq !== '' && { after_seq: Number(afterSeq) }),
      ...(hash!.startsWith(`${PARSER_VERSION}-`) && {
        hash: hash!,
        ...(etag !== '' && { etag: etag! }),
        ...(lastModified !== '' && { last_modified: lastModified! }),
      }),
    }
  }
}

/** Tells whether any crawl is requested. Called often, and mostly the answer is no. */
async function isAnyRequested(db: Database): Promise<boolean> {
  const asked = { priority: reasons.requested }
  const sql = 'select 1 from crawl_state where priority = $priority::utinyint limit 1'
  return (await db.one(sql, asked, 'cached')) !== undefined
}
