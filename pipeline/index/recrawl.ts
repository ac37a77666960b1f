import type { Instant } from '../core/clock.ts'

/** What bounds when a file is due again. */
export interface Recrawling {
  /** The nightly run: a file that answered with a document lately is due then at the latest. */
  nextRun: Instant
  /** How soon a file that has just changed is looked at again. */
  soonestMs: number
}

const HOUR = 3_600
const DAY = 24 * HOUR

/** With the tenth that is added, an agent is asked at least once a day; one that fails, sooner. */
const AGENT_HOURS = 21

/**
 * Seconds until a file is due again, by what it said: the first line that fits; null is the nightly
 * run. A file is "held" when it answered with a document within a week. What a person has asked for is
 * due when that request says (crawl-requests.ts).
 */
export const WAIT_S = `
case
  when kind = 'agent' then least(
    if(effect = 'success', ${AGENT_HOURS},
      2 ** least(if(is_silent, new_failures, new_streak) - 1, 10)), ${AGENT_HOURS}) * ${HOUR}
  when effect = 'success' then $soonest_s * 2 ** least(new_streak - 1, 10)
  when priority = 3 then ([1, 7, 30])[least(new_streak + new_failures, 3)] * ${DAY}
  when is_silent then least(if(is_held, 24, 30 * 24), 2 ** least(new_failures - 1, 10)) * ${HOUR}
  when new_succeeded_at is null then least(30, 2 ** least(new_streak - 1, 10)) * ${DAY}
  when not is_held then least(30, 2 ** least(greatest(new_streak - 8, 0), 10)) * ${DAY}
  when effect = 'absent' then if(new_streak = 1, 61 * 60, null)
  else least(24, 2 ** least(new_streak - 1, 10)) * ${HOUR} end`

/**
 * When a file is due again. What was fetched in one moment is not due in one: each location waits up to
 * a tenth longer, always the same part. A file that is held waits for the nightly run at most, and
 * nothing is asked sooner than its server allowed. Agents have a rhythm of their own, that no nightly
 * run draws together; one that nobody names is not due.
 */
export const DUE_AT = `
if(kind = 'agent' and due_at is null, null, greatest(
  seen_at + to_seconds(retry_after_s),
  least(
    seen_at + to_seconds(wait_s * (1 + md5_number_upper(location) % 1000 / 10000)),
    if(is_held and kind != 'agent', $next_run::timestamptz, null))))`
