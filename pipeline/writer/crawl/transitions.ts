import { type Effect, getEffect, outcomeNames } from '../../core/outcomes.ts'
import { DAY_LATER, DUE_AT, IS_HELD, TURNS_AT, WAIT_S, WEEK_LATER } from './recrawl-schedule.ts'
import { isLater } from './staging.ts'

function toOutcomeList(effect: Effect): string {
  const names = outcomeNames.filter(name => getEffect(name) === effect)
  return `('${names.join("', '")}')`
}
const GARBLED = toOutcomeList('garbled')
const UNREACHABLE = toOutcomeList('unreachable')

/** Condition on an observation `i` and the state `s` of its file: the content is new. */
const IS_NEW = `i.outcome = 'ok' and i.hash is distinct from s.hash`

/** Condition that the answer has other validators than those stored. */
const IS_VALIDATED_ANEW = `
  (if(i.outcome = 'unchanged', coalesce(i.etag, s.etag), i.etag) is distinct from s.etag
    or if(i.outcome = 'unchanged', coalesce(i.last_modified, s.last_modified), i.last_modified)
      is distinct from s.last_modified)`

const OBSERVED_AT = 'i.at_ms'

/** Time of the observation; always later than the one before, whatever the clocks of the crawlers say. */
const RISING_OBSERVED_AT = `
if(${OBSERVED_AT} <= s.attempted_at,
  max($now, s.attempted_at + 1), ${OBSERVED_AT})`

/** Condition that an hour lies between the first and the last look of a streak. */
const IS_HOUR_APART = '(new_streak >= 2 and seen_at >= streak_since + 3600000)'

/**
 * Builds the query that computes the state of files after an attempt to fetch them: from the staged
 * observations `i` and the stored states `s`, as far as `where` holds. Select from its last step, `turning`.
 *
 * From `stale_at` on the properties of a file are stale, from `ended_at` on its grants have ended. The first
 * attempt and every success set both to a week later, so a file that never answers again expires without
 * further work. If a file is absent, unusable or garbled, these times can only become earlier. Attempts without
 * an answer change neither.
 *
 * Two looks count as such if an hour lies between the first and the last of their streak: what happens to a site for
 * seconds, while somebody requests crawls, stales nothing by a page and ends nothing by a 404.
 *
 * `streak` counts equal answers in a row. Attempts without an answer are counted in `failures` instead: a
 * timeout between two 404 neither ends the streak nor adds to it.
 *
 * Columns that others are computed from have a step of their own, which is materialized: they would be computed again
 * at each use.
 */
const buildTransitions = (where: string) => `
with seen as materialized (
  select i.seen_id, i.row_id, i.spread, i.kind, i.location, i.outcome, i.effect, i.status,
    i.retry_after_s, i.took_ms is not null as is_probed, ${RISING_OBSERVED_AT} as seen_at, i.effect = 'unreachable' as is_unreachable,
    ${IS_NEW} as is_new,
    s.attempted_at is null as is_first, s.hash is not null as had_document, s.outcome as old_outcome,
    s.effect as old_effect, s.status as old_status, s.streak, s.streak_since, s.failures, s.priority,
    s.requested, s.attempted_at, s.succeeded_at, s.due_at, s.stale_at, s.ended_at, s.turns_at,
    ${IS_VALIDATED_ANEW} as is_validated_anew
  from incoming i cross join crawl_state s on s.rowid = i.row_id
  where ${where}),
counted as materialized (
  select *,
    if(is_unreachable, old_effect, effect) as new_effect,
    if(is_unreachable, min(failures + 1, 255), 0) as new_failures,
    case when is_unreachable then streak
      when old_effect = effect and not is_new then streak + 1 else 1 end as new_streak,
    if(effect = 'success', seen_at, succeeded_at) as new_succeeded_at,
    coalesce(stale_at, seen_at + ${WEEK_LATER}) as old_stale_at,
    coalesce(ended_at, seen_at + ${WEEK_LATER}) as old_ended_at
  from seen),
validity as materialized (
  select *,
    if(new_streak = 1 and not is_unreachable, seen_at, streak_since) as new_streak_since,
    ${IS_HOUR_APART} as is_hour_apart,
    case effect
      when 'success' then seen_at + ${WEEK_LATER}
      when 'absent' then min(coalesce(stale_at, seen_at), seen_at)
      when 'unusable' then min(coalesce(stale_at, seen_at), seen_at)
      when 'garbled' then if(
        old_outcome in ${GARBLED} and ${IS_HOUR_APART}, min(coalesce(stale_at, seen_at), seen_at), old_stale_at)
      else old_stale_at end as new_stale_at,
    ${IS_HELD} as is_held
  from counted),
ending as materialized (
  select *,
    case effect
      when 'success' then seen_at + ${WEEK_LATER}
      when 'absent' then if(
        requested or is_hour_apart,
        min(coalesce(ended_at, seen_at), seen_at), old_ended_at)
      when 'unusable' then min(old_ended_at, coalesce(succeeded_at + ${DAY_LATER}, old_ended_at))
      else old_ended_at end as new_ended_at,
    ${WAIT_S} as wait_s
  from validity),
turning as materialized (
  select *,
    ${TURNS_AT} as new_turns_at,
    coalesce(stale_at <= $now, false) != (new_stale_at <= $now)
      or coalesce(ended_at <= $now, false) != (new_ended_at <= $now)
      or coalesce(turns_at <= $now, false) as changes_validity,
    ${DUE_AT} as new_due_at
  from ending)`

const IS_ANY_LATER = `(s.attempted_at is null or ${isLater('i')})`

/** Selects the transitions of all staged observations whose file has a row. */
export const ALL_TRANSITIONS = `${buildTransitions(IS_ANY_LATER)}
select seen_id, row_id, seen_at, attempted_at as known_at, is_probed, is_unreachable, is_new, is_first, changes_validity,
  new_succeeded_at, new_streak, new_failures, new_stale_at, new_ended_at, new_turns_at, new_due_at,
  is_new or (had_document and changes_validity) as is_own,
  kind = 'brand.json' and (new_effect is distinct from old_effect
    or is_unreachable != (old_outcome in ${UNREACHABLE})) as effect_differs,
  kind = 'adagents.json' and outcome is distinct from old_outcome
    and (effect != 'success' or old_effect is distinct from 'success') as outcome_differs,
  is_new or requested or new_effect is distinct from old_effect
    or (failures > 0 and not is_unreachable) or if(effect = 'success', is_validated_anew,
    outcome is distinct from old_outcome or status is distinct from old_status
  ) as has_changed
from turning`

/** Condition that a file succeeded again, without new content or validators, and its state was and remains valid. */
const IS_IN_FORCE = `
s.outcome in ${toOutcomeList('success')}
  and s.stale_at > $now and s.ended_at > $now
  and ${OBSERVED_AT} + ${WEEK_LATER} > $now
  and not (${IS_NEW}) and not ${IS_VALIDATED_ANEW}`

/**
 * Condition that a file that was absent or garbled is so again, and that this ends no properties or grants.
 */
const STAYS_AWAY = `
s.stale_at <= min(${OBSERVED_AT}, $now) and case i.effect
  when 'garbled' then s.ended_at is not null
  when 'absent' then s.ended_at <= min(${OBSERVED_AT}, $now)
    or (s.hash is null and s.ended_at > $now)
  else false end`

/** Condition that an attempt without an answer changes nothing: times of expiry are set and remain. */
const STAYS_UNREACHABLE = `
s.stale_at is not null and s.ended_at is not null`

/**
 * Condition that a transition changes nothing but times and counts. It reads stored columns only, which costs less
 * than computing the transition first.
 */
const IS_AS_BEFORE = `
${OBSERVED_AT} > s.attempted_at and i.kind != 'agent' and not s.requested
  and coalesce(s.turns_at > $now, true)
  and if(i.effect = 'success', ${IS_IN_FORCE},
    s.outcome = i.outcome and s.status is not distinct from i.status
      and if(i.effect = 'unreachable', ${STAYS_UNREACHABLE}, ${STAYS_AWAY}))`

/** Selects the transitions that change nothing but times and counts, as most of a night do. */
export const TRANSITIONS_OF_TIMES = `${buildTransitions(IS_AS_BEFORE)}
select row_id, seen_at, new_succeeded_at, new_streak, new_failures, new_stale_at, new_ended_at,
  new_turns_at, new_due_at
from turning`

/** Writes the times and counts of transitions `n` into their rows `s`. */
export const SET_TIMES = `
as s set attempted_at = n.seen_at, succeeded_at = n.new_succeeded_at,
  streak = n.new_streak, failures = n.new_failures, stale_at = n.new_stale_at,
  ended_at = n.new_ended_at, turns_at = n.new_turns_at, due_at = n.new_due_at, seq = $seq`
