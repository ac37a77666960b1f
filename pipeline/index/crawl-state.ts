import type { Instant } from '../core/clock.ts'
import { isoOf, SECOND } from '../core/clock.ts'
import { type Effect, effectOf, missingOutcomes, outcomeNames } from '../core/outcomes.ts'
import type { SourceKind } from '../model/documents.ts'
import type { Observation } from '../model/observation.ts'
import type { Database } from './duckdb.ts'
import { RECRAWL, type Recrawling } from './recrawl.ts'

/** A file whose answer must be derived again, its own domain's or only those that depend on it. */
export interface Stirred {
  kind: SourceKind
  location: string
  /** The document itself is new. */
  is_new: boolean
  /** Its document changed, or how far that stands; otherwise only what dependents await of it. */
  is_own: boolean
  /** When the attempt before was made. */
  known_until: Instant | null
}

const INCOMING = `create or replace temp table incoming (
  kind varchar, location varchar, at_ms double, outcome varchar, effect varchar, status double,
  etag varchar, last_modified varchar, retry_after_s double, hash varchar,
  took_ms double, after_seq double)`

const GARBLED = outcomesOf('garbled')
const SILENT = outcomesOf('unreachable')

function outcomesOf(effect: Effect): string {
  const names = outcomeNames.filter(name => effectOf(name) === effect)
  return names.map(name => `'${name}'`).join()
}

const saysMissing = (row: string) =>
  `coalesce(${row}.outcome in ('${missingOutcomes.join("', '")}'), false)`

/** An agent that is not known was forgotten while it was probed, and stays so. */
const JOIN_UNKNOWN = `
insert into crawl_state (kind, location, priority, streak, requested, seq)
select distinct kind, location, 2, 0, false, $seq from incoming
anti join crawl_state using (kind, location) where kind != 'agent'`

/**
 * What one attempt does to the state of its file. `stale_at` and `ended_at` are the moments from
 * which its properties are stale and its grants over: a success sets both a week ahead, and so does
 * the first attempt of all, so that silence fails closed by itself; a refusal to answer changes
 * neither; what says "not here" or "not this" draws them nearer and never pushes them away.
 *
 * A streak is made of answers that said the same. An attempt that brought no answer is counted apart
 * and neither ends a streak nor lengthens it: a timeout between two 404 proves nothing.
 */
const NIGHT = `
create or replace temp table night as
select s.rowid as row_id, i.*, s.attempted_at is null as is_first,
  epoch_ms(s.attempted_at)::double as known_until,
  to_timestamp(i.at_ms / 1000) as seen_at,
  i.effect = 'unreachable' as is_silent,
  i.outcome = 'ok' and i.hash is distinct from s.hash as is_new,
  if(is_silent, s.effect, i.effect) as new_effect,
  if(is_silent, least(s.failures::integer + 1, 255), 0) as new_failures,
  case when is_silent then s.streak::integer
    when s.effect = i.effect and not is_new then s.streak::integer + 1 else 1 end as new_streak,
  if(new_streak = 1 and not is_silent, seen_at, s.streak_since) as new_streak_since,
  coalesce(s.stale_at, seen_at + interval 7 day) as old_stale_at,
  coalesce(s.ended_at, seen_at + interval 7 day) as old_ended_at,
  if(i.effect = 'success', seen_at, s.succeeded_at) as new_succeeded_at,
  case i.effect
    when 'success' then seen_at + interval 7 day
    when 'absent' then least(s.stale_at, seen_at)
    when 'unusable' then least(s.stale_at, seen_at)
    when 'garbled' then if(s.outcome in (${GARBLED}), least(s.stale_at, seen_at), old_stale_at)
    else old_stale_at end as new_stale_at,
  case i.effect
    when 'success' then seen_at + interval 7 day
    when 'absent' then if(
      s.requested or (new_streak >= 2 and seen_at >= new_streak_since + interval 1 hour),
      least(s.ended_at, seen_at), old_ended_at)
    when 'unusable' then least(old_ended_at, s.succeeded_at + interval 1 day)
    else old_ended_at end as new_ended_at,
  if(is_new, i.hash, s.hash) as new_hash,
  case when is_silent then s.etag when i.outcome = 'unchanged' then coalesce(i.etag, s.etag)
    else i.etag end as new_etag,
  case when is_silent then s.last_modified
    when i.outcome = 'unchanged' then coalesce(i.last_modified, s.last_modified)
    else i.last_modified end as new_last_modified,
  case
    when i.effect = 'success' or ${saysMissing('i')} then null
    when ${saysMissing('s')} then s.attempted_at
    else s.absent_at end as new_absent_at,
  i.outcome is distinct from s.outcome as says_other,
  ${RECRAWL},
  least(
    if(new_stale_at > $now::timestamptz, new_stale_at, null),
    if(new_ended_at > $now::timestamptz, new_ended_at, null)) as new_turns_at,
  coalesce(s.stale_at <= $now::timestamptz, false) != (new_stale_at <= $now::timestamptz)
    or coalesce(s.ended_at <= $now::timestamptz, false) != (new_ended_at <= $now::timestamptz)
    or coalesce(s.turns_at <= $now::timestamptz, false) as is_turned,
  is_new or (new_hash is not null and is_turned) as is_own,
  i.kind = 'brand.json' and (new_effect is distinct from s.effect
    or is_silent != (s.outcome in (${SILENT}))) as is_otherwise,
  is_new or s.requested or new_effect is distinct from s.effect
    or (s.failures > 0 and not is_silent) or if(i.effect = 'success',
    new_etag is distinct from s.etag or new_last_modified is distinct from s.last_modified,
    i.outcome is distinct from s.outcome or i.status::usmallint is distinct from s.status
  ) as is_loud
from (select * from incoming
      qualify row_number() over (partition by kind, location order by at_ms desc) = 1) i
join crawl_state s using (kind, location)
where s.attempted_at is null or to_timestamp(i.at_ms / 1000) > s.attempted_at`

/** A file that answered as before needs its times only; the rest of its row is not written. */
const QUIET = `
update crawl_state s set attempted_at = n.seen_at, succeeded_at = n.new_succeeded_at,
  streak = n.new_streak, failures = n.new_failures, stale_at = n.new_stale_at,
  ended_at = n.new_ended_at, turns_at = n.new_turns_at, due_at = n.new_due_at, seq = $seq
from night n where s.rowid = n.row_id`

const LOUD = `
update crawl_state s set outcome = n.outcome, effect = n.new_effect, status = n.status::usmallint,
  streak_since = n.new_streak_since, etag = n.new_etag, last_modified = n.new_last_modified,
  hash = n.new_hash, absent_at = n.new_absent_at, requested = false,
  priority = if(n.effect = 'success' or s.priority < 2, 2, s.priority)
from night n where s.rowid = n.row_id and n.is_loud`

/** Only agents have one: a night of files writes none. */
const TOOK = `
update crawl_state s set took_ms = n.took_ms::uinteger
from night n where s.rowid = n.row_id and n.took_ms is not null`

/**
 * A house that fails is believed for a time only (resolve/brand-house.ts): its brands must know. And
 * whether a domain's ads.txt may stand in for its file depends on how that one answers.
 */
const STIRRED = `
select kind, location, is_new, is_own or instead is not null as is_own, known_until from night
left join (select location as instead from crawl_state where kind = 'ads.txt')
  on night.kind = 'adagents.json' and says_other and instead = location
where is_own or instead is not null or ((is_first or is_turned or is_otherwise) and exists (
  select 1 from depends_on d where d.kind = night.kind and d.location = night.location))
order by kind, location`

/**
 * Takes a batch of observations into crawl_state: one anti-join finds what is new. An observation
 * that is not later than the last one of its file is ignored, so a batch may be delivered twice.
 */
export async function takeIn(
  db: Database,
  observations: readonly Observation[],
  { now, nextRun, soonestMs, seq }: Recrawling & { now: Instant; seq: number },
): Promise<Stirred[]> {
  await db.run(INCOMING)
  await db.append('incoming', rowsOf(observations))
  await db.run(JOIN_UNKNOWN, { seq })
  await db.run(NIGHT, {
    now: isoOf(now),
    next_run: isoOf(nextRun),
    soonest_s: soonestMs / SECOND,
  })
  await db.run(LOUD)
  await db.run(QUIET, { seq })
  await db.run(TOOK)
  return db.all<Stirred>(STIRRED)
}

function* rowsOf(observations: readonly Observation[]) {
  for (const seen of observations) {
    yield [
      seen.kind,
      seen.location,
      seen.observed_at,
      seen.outcome,
      effectOf(seen.outcome),
      seen.status,
      seen.etag,
      seen.last_modified,
      seen.retry_after_s,
      seen.hash,
      seen.took_ms,
      seen.after_seq,
    ]
  }
}

/** Files whose standing time alone has changed since they were last looked at. */
export async function takeTurns(db: Database, now: Instant): Promise<Stirred[]> {
  const at = { now: isoOf(now) }
  const turned = await db.all<Stirred>(
    `select kind, location, false as is_new, hash is not null as is_own,
       epoch_ms(attempted_at)::double as known_until from crawl_state
     where turns_at <= $now::timestamptz order by kind, location`,
    at,
  )
  if (turned.length > 0) {
    await db.run(
      `update crawl_state set turns_at = least(
         if(stale_at > $now::timestamptz, stale_at, null),
         if(ended_at > $now::timestamptz, ended_at, null))
       where turns_at <= $now::timestamptz`,
      at,
    )
  }
  return turned
}
