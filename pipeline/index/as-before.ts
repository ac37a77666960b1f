import { type Effect, effectOf, outcomeNames } from '../core/outcomes.ts'
import type { Stirred } from './crawl-state.ts'
import type { Database } from './duckdb.ts'
import {
  IS_HELD,
  NEXT_AT,
  parametersOf,
  type Recrawling,
  TURNS_AT,
  WAIT_S,
  WEEK_LATER,
} from './recrawl.ts'

/** The outcomes with this effect, as a list in SQL. */
export function outcomesOf(effect: Effect): string {
  const names = outcomeNames.filter(name => effectOf(name) === effect)
  return `('${names.join("', '")}')`
}

/** Of an observation `i` and the state `s` of its file. */
export const IS_NEW = `i.outcome = 'ok' and i.hash is distinct from s.hash`

/** The same: whether the answer brought other validators than those that are known. */
export const IS_VALIDATED_ANEW = `
  (if(i.outcome = 'unchanged', coalesce(i.etag, s.etag), i.etag) is distinct from s.etag
    or if(i.outcome = 'unchanged', coalesce(i.last_modified, s.last_modified), i.last_modified)
      is distinct from s.last_modified)`

const SEEN_AT = 'to_timestamp(i.at_ms / 1000)'

/** What stood goes on to stand. */
const STANDS_ON = `
s.outcome in ${outcomesOf('success')}
  and s.stale_at > $now::timestamptz and s.ended_at > $now::timestamptz
  and ${SEEN_AT} + ${WEEK_LATER} > $now::timestamptz
  and not (${IS_NEW}) and not ${IS_VALIDATED_ANEW}`

/** What said that it is not there, or not this, says so again: at most it ends, and it has no document. */
const STAYS_AWAY = `
s.stale_at <= least(${SEEN_AT}, $now::timestamptz) and case i.effect
  when 'garbled' then s.ended_at is not null
  when 'absent' then s.ended_at <= least(${SEEN_AT}, $now::timestamptz)
    or (s.hash is null and s.ended_at > $now::timestamptz)
  else false end`

/** No answer changes nothing that stands; from when on it has ended is known since the first attempt. */
const STAYS_SILENT = `
s.stale_at is not null and s.ended_at is not null`

/**
 * Of most files of a night all that is new is that they were looked at: this one statement takes
 * them in. It does what `takeOther` would do to each, and takes in none whose own answer must be
 * derived again, or of whose row more than times and counts is written.
 */
const AS_BEFORE = `
update crawl_state f set attempted_at = n.seen_at, succeeded_at = n.new_succeeded_at,
  streak = n.new_streak, failures = n.new_failures, stale_at = n.new_stale_at,
  ended_at = n.new_ended_at, turns_at = n.new_turns_at, due_at = n.new_due_at, seq = $seq
from (
  with seen as (
    select s.rowid as row_id, i.kind, i.location, i.effect, i.retry_after_s, s.priority,
      ${SEEN_AT} as seen_at, i.effect = 'unreachable' as is_silent,
      if(i.effect = 'success', ${SEEN_AT}, s.succeeded_at) as new_succeeded_at,
      s.streak::integer + if(i.effect = 'unreachable', 0, 1) as new_streak,
      if(i.effect = 'unreachable', least(s.failures::integer + 1, 255), 0) as new_failures,
      if(i.effect = 'success', ${SEEN_AT} + ${WEEK_LATER}, s.stale_at) as new_stale_at,
      case i.effect when 'success' then ${SEEN_AT} + ${WEEK_LATER}
        when 'absent' then if(${SEEN_AT} >= s.streak_since + interval 1 hour,
          least(s.ended_at, ${SEEN_AT}), s.ended_at)
        else s.ended_at end as new_ended_at
    from incoming i join crawl_state s using (kind, location)
    where ${SEEN_AT} > s.attempted_at and i.kind != 'agent' and not s.requested
      and coalesce(s.turns_at > $now::timestamptz, true)
      and if(i.effect = 'success', ${STANDS_ON},
        s.outcome = i.outcome and s.status is not distinct from i.status::usmallint
          and if(i.effect = 'unreachable', ${STAYS_SILENT}, ${STAYS_AWAY}))),
  standing as (select *, ${IS_HELD} as is_held from seen),
  waiting as (select *, ${WAIT_S} as wait_s from standing)
  select *, ${TURNS_AT} as new_turns_at, ${NEXT_AT} as new_due_at from waiting) n
where f.rowid = n.row_id`

/** Files that ended by this, and that somebody else's answer is read from. */
const ENDED = `
select kind, location, false as is_new, false as is_own, null as known_until from crawl_state s
where seq = $seq and effect = 'absent' and hash is null and ended_at = attempted_at
  and ended_at <= $now::timestamptz and exists (
    select 1 from depends_on d where d.kind = s.kind and d.location = s.location)
order by kind, location`

/** Takes in which of the incoming files are as they were; tells how many, and whom that stirs. */
export async function takeAsBefore(
  db: Database,
  recrawling: Recrawling,
): Promise<{ taken: number; stirred: Stirred[] }> {
  const parameters = parametersOf(recrawling)
  const taken = await db.run(AS_BEFORE, parameters)
  return { taken, stirred: taken === 0 ? [] : await db.all<Stirred>(ENDED, parameters) }
}
