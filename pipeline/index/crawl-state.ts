import type { Instant } from '../core/clock.ts'
import { isoOf } from '../core/clock.ts'
import { missingOutcomes } from '../core/outcomes.ts'
import type { SourceKind } from '../model/documents.ts'
import type { Observation } from '../model/observation.ts'
import { IS_NEW, IS_VALIDATED_ANEW, outcomesOf, takeAsBefore } from './as-before.ts'
import type { Database } from './duckdb.ts'
import { isLater, stage } from './incoming.ts'
import {
  DAY_LATER,
  DUE_AT,
  IS_HELD,
  parametersOf,
  type Recrawling,
  TURNS_AT,
  WAIT_S,
  WEEK_LATER,
} from './recrawl.ts'

/** A file whose answer must be derived again, its own domain's or only those that depend on it. */
export interface Stirred {
  kind: SourceKind
  location: string
  /** The document itself is new. */
  is_new: boolean
  /** Its document changed, or how far that stands; otherwise only what dependents await of it. */
  is_own: boolean
  /** When the attempt before a new document was made. */
  known_until: Instant | null
}

const GARBLED = outcomesOf('garbled')
const SILENT = outcomesOf('unreachable')

const saysMissing = (row: string) =>
  `coalesce(${row}.outcome in ('${missingOutcomes.join("', '")}'), false)`

/** An agent that is not known was forgotten while it was probed, and stays so. */
const ADD_UNKNOWN = `
insert into crawl_state (kind, location, priority, streak, requested, seq)
select i.kind, i.location, 2, 0, false, $seq
from night n join incoming i using (seen_id) where n.row_id is null
order by i.location, i.kind`

const SEEN_AT = 'to_timestamp(i.at_ms / 1000)'

/** Times of a file only ever rise. */
const RISING_SEEN_AT = `
if(${SEEN_AT} <= s.attempted_at,
  greatest($now::timestamptz, s.attempted_at + interval 1 millisecond), ${SEEN_AT})`

/**
 * What one attempt does to the state of its file. `stale_at` and `ended_at` are the moments from
 * which its properties are stale and its grants over: a success sets both a week ahead, and so does
 * the first attempt of all, so that silence fails closed by itself; a refusal to answer changes
 * neither; what says "not here" or "not this" draws them nearer and never pushes them away.
 *
 * A streak is made of answers that said the same. An attempt that brought no answer is counted apart
 * and neither ends a streak nor lengthens it: a timeout between two 404 proves nothing.
 *
 * A column that another one needs is made a step before it: in one step it would be computed again
 * wherever it is named.
 */
const NIGHT = `
create or replace temp table night as
with seen as (
  select i.seen_id, s.rowid as row_id, i.kind, i.location, i.outcome, i.effect, i.status,
    i.retry_after_s, i.took_ms is not null as is_probed, ${RISING_SEEN_AT} as seen_at, i.effect = 'unreachable' as is_silent,
    ${IS_NEW} as is_new,
    s.attempted_at is null as is_first, s.hash is not null as had_document, s.outcome as old_outcome,
    s.effect as old_effect, s.status as old_status, s.streak, s.streak_since, s.failures, s.priority,
    s.requested, s.attempted_at, s.succeeded_at, s.due_at, s.stale_at, s.ended_at, s.turns_at,
    ${IS_VALIDATED_ANEW} as is_validated_anew
  from incoming i left join crawl_state s using (kind, location)
  where if(s.rowid is null, i.kind != 'agent',
    s.attempted_at is null or ${isLater('i')})),
counted as (
  select *,
    if(is_silent, old_effect, effect) as new_effect,
    if(is_silent, least(failures::integer + 1, 255), 0) as new_failures,
    case when is_silent then streak::integer
      when old_effect = effect and not is_new then streak::integer + 1 else 1 end as new_streak,
    if(effect = 'success', seen_at, succeeded_at) as new_succeeded_at,
    coalesce(stale_at, seen_at + ${WEEK_LATER}) as old_stale_at,
    coalesce(ended_at, seen_at + ${WEEK_LATER}) as old_ended_at
  from seen),
standing as (
  select *,
    if(new_streak = 1 and not is_silent, seen_at, streak_since) as new_streak_since,
    case effect
      when 'success' then seen_at + ${WEEK_LATER}
      when 'absent' then least(stale_at, seen_at)
      when 'unusable' then least(stale_at, seen_at)
      when 'garbled' then if(old_outcome in ${GARBLED}, least(stale_at, seen_at), old_stale_at)
      else old_stale_at end as new_stale_at,
    ${IS_HELD} as is_held
  from counted),
ending as (
  select *,
    case effect
      when 'success' then seen_at + ${WEEK_LATER}
      when 'absent' then if(
        requested or (new_streak >= 2 and seen_at >= new_streak_since + interval 1 hour),
        least(ended_at, seen_at), old_ended_at)
      when 'unusable' then least(old_ended_at, succeeded_at + ${DAY_LATER})
      else old_ended_at end as new_ended_at,
    ${WAIT_S} as wait_s
  from standing),
turning as (
  select *,
    ${TURNS_AT} as new_turns_at,
    coalesce(stale_at <= $now::timestamptz, false) != (new_stale_at <= $now::timestamptz)
      or coalesce(ended_at <= $now::timestamptz, false) != (new_ended_at <= $now::timestamptz)
      or coalesce(turns_at <= $now::timestamptz, false) as is_turned,
    ${DUE_AT} as new_due_at
  from ending)
select seen_id, row_id, seen_at, attempted_at as known_at, is_probed, is_silent, is_new, is_first, is_turned,
  new_succeeded_at, new_streak, new_failures, new_stale_at, new_ended_at, new_turns_at, new_due_at,
  is_new or (had_document and is_turned) as is_own,
  kind = 'brand.json' and (new_effect is distinct from old_effect
    or is_silent != (old_outcome in ${SILENT})) as is_otherwise,
  kind = 'adagents.json' and outcome is distinct from old_outcome
    and (effect != 'success' or old_effect is distinct from 'success') as says_other,
  is_new or requested or new_effect is distinct from old_effect
    or (failures > 0 and not is_silent) or if(effect = 'success', is_validated_anew,
    outcome is distinct from old_outcome or status::usmallint is distinct from old_status
  ) as is_loud
from turning`

/** What of a night is more than new times. */
const DIFFERENCES = `
select coalesce(bool_or(row_id is null), false) as any_unknown,
  coalesce(bool_or(is_loud), false) as any_loud,
  coalesce(bool_or(is_own or is_first or is_turned or is_otherwise or says_other), false) as any_stirred,
  coalesce(bool_or(is_probed), false) as any_took
from night`

/** A file that answered as before needs its times only; the rest of its row is not written. */
const QUIET = `
update crawl_state s set attempted_at = n.seen_at, succeeded_at = n.new_succeeded_at,
  streak = n.new_streak, failures = n.new_failures, stale_at = n.new_stale_at,
  ended_at = n.new_ended_at, turns_at = n.new_turns_at, due_at = n.new_due_at, seq = $seq
from night n where s.rowid = n.row_id`

/** Comes before the times: what was said before is dated by the attempt before. */
const LOUD = `
update crawl_state s set outcome = i.outcome, effect = if(n.is_silent, s.effect, i.effect),
  status = i.status::usmallint,
  streak_since = if(n.new_streak = 1 and not n.is_silent, n.seen_at, s.streak_since),
  etag = case when n.is_silent then s.etag when i.outcome = 'unchanged' then coalesce(i.etag, s.etag)
    else i.etag end,
  last_modified = case when n.is_silent then s.last_modified
    when i.outcome = 'unchanged' then coalesce(i.last_modified, s.last_modified)
    else i.last_modified end,
  hash = if(n.is_new, i.hash, s.hash),
  absent_at = case
    when i.effect = 'success' or ${saysMissing('i')} then null
    when ${saysMissing('s')} then s.attempted_at
    else s.absent_at end,
  requested = false,
  priority = if(i.effect = 'success' or s.priority < 2, 2, s.priority)
from night n join incoming i using (seen_id) where s.rowid = n.row_id and n.is_loud`

/** Only agents have one: a night of files writes none. */
const TOOK = `
update crawl_state s set took_ms = i.took_ms::uinteger
from night n join incoming i using (seen_id)
where s.rowid = n.row_id and i.took_ms is not null`

/**
 * A house that fails is believed for a time only (resolve/brand-house.ts): its brands must know. And
 * whether a domain's ads.txt may stand in for its file depends on how that one answers.
 */
const STIRRED = `
with night as (
  select i.kind, i.location, n.*,
    if(is_new, least(epoch_ms(n.known_at)::double, i.at_ms - 1), null) as known_until
  from night n join incoming i using (seen_id)
  where is_own or is_first or is_turned or is_otherwise or says_other)
select kind, location, is_new, is_own or instead is not null as is_own, known_until from night
left join (select location as instead from crawl_state where kind = 'ads.txt')
  on night.kind = 'adagents.json' and says_other and instead = location
where is_own or instead is not null or ((is_first or is_turned or is_otherwise) and exists (
  select 1 from depends_on d where d.kind = night.kind and d.location = night.location))
order by kind, location`

/**
 * Takes a batch of observations into crawl_state: those that found their file as it was by one
 * statement, and what is left by the join that tells what is unknown and what differs. What is as it was
 * never comes back from there. An observation that is not later than the last one of its file is
 * ignored, so a batch may be delivered twice; and so none that one statement took in is looked at by
 * the next.
 */
export async function takeIn(
  db: Database,
  observations: readonly Observation[],
  recrawling: Recrawling,
): Promise<Stirred[]> {
  const staged = await stage(db, observations)
  const { taken, stirred } = await takeAsBefore(db, recrawling)
  const others = taken === staged ? [] : await takeOther(db, recrawling)
  return stirred.length === 0 ? others : [...stirred, ...others].sort(inOrder)
}

/** Kinds and locations are ASCII. */
function inOrder(a: Stirred, b: Stirred): number {
  return a.kind === b.kind ? (a.location < b.location ? -1 : 1) : a.kind < b.kind ? -1 : 1
}

/** Takes in any that are staged, whatever they found. */
export async function takeOther(db: Database, recrawling: Recrawling): Promise<Stirred[]> {
  const parameters = parametersOf(recrawling)
  const tell = async () => {
    await db.run(NIGHT, parameters)
    return (await db.one<Differences>(DIFFERENCES))!
  }
  let differences = await tell()
  if (differences.any_unknown) {
    await db.run(ADD_UNKNOWN, parameters)
    differences = await tell()
  }
  if (differences.any_loud) await db.run(LOUD)
  if (differences.any_took) await db.run(TOOK)
  await db.run(QUIET, parameters)
  return differences.any_stirred ? db.all<Stirred>(STIRRED) : []
}

interface Differences {
  any_unknown: boolean
  any_loud: boolean
  any_stirred: boolean
  any_took: boolean
}

/** Files whose standing time alone has changed since they were last looked at. */
export async function takeTurns(db: Database, now: Instant): Promise<Stirred[]> {
  const at = { now: isoOf(now) }
  const turned = await db.all<Stirred>(
    `select kind, location, false as is_new, hash is not null as is_own,
       null as known_until from crawl_state
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
