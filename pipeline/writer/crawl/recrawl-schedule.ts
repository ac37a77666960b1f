import { type Instant, SECOND, toIso } from '../../core/clock.ts'
import type { Parameters } from '../../store/duckdb.ts'

/** Commit of a crawl state, and the bounds on when files are due again. */
export interface RecrawlContext {
  now: Instant
  seq: number
  /** The nightly run: a file that answered with a document lately is due then at the latest. */
  nextRun: Instant
  /** Shortest time until a file that has just changed is fetched again. */
  soonestMs: number
}

/** Converts these to the parameters of the statements. */
export function toParameters({ now, seq, nextRun, soonestMs }: RecrawlContext): Parameters {
  return { now: toIso(now), seq, next_run: toIso(nextRun), soonest_s: soonestMs / SECOND }
}

/** A day in hours: days are computed with the calendar of a time zone, which costs more than a join. */
export const DAY_LATER = 'interval 24 hour'
export const WEEK_LATER = 'interval 168 hour'

export const IS_HELD = `coalesce(new_succeeded_at > seen_at - ${WEEK_LATER}, false)`

/** Time at which the state of a file next changes by itself. */
export const TURNS_AT = `
least(
  if(new_stale_at > $now::timestamptz, new_stale_at, null),
  if(new_ended_at > $now::timestamptz, new_ended_at, null))`

const HOUR = 3_600
const DAY = 24 * HOUR

/** Hours between probes of an agent: with the added tenth at least one a day; a failing one is probed sooner. */
const AGENT_HOURS = 21

interface WaitRule {
  /** Condition on the state of a file after an attempt; the last rule has none. */
  when?: string
  /** Seconds until the file is due again; null is the nightly run. */
  seconds: string
  /** Explanation for operators. */
  because: string
}

/**
 * Rules for when a file is due again, by the outcome of the attempt: the first that matches decides. A
 * file is "held" when it answered with a document within a week. A requested file is due as the request
 * says (crawl-requests.ts).
 */
const waitRules: readonly WaitRule[] = [
  {
    when: "kind = 'agent'",
    seconds: `least(
    if(effect = 'success', ${AGENT_HOURS},
      2 ** least(if(is_unreachable, new_failures, new_streak) - 1, 10)), ${AGENT_HOURS}) * ${HOUR}`,
    because: 'agents are probed once a day, and a failing one sooner',
  },
  {
    when: "effect = 'success'",
    seconds: '$soonest_s * 2 ** least(new_streak - 1, 10)',
    because: 'the wait doubles with each unchanged answer, to the nightly run at most',
  },
  {
    when: 'priority = 3',
    seconds: `([1, 7, 30])[least(new_streak + new_failures, 3)] * ${DAY}`,
    because: 'a domain that is only mentioned is tried after 1, 7 and 30 days',
  },
  {
    when: 'is_unreachable',
    seconds: `least(if(is_held, 24, 30 * 24), 2 ** least(new_failures - 1, 10)) * ${HOUR}`,
    because: 'after an attempt without an answer, the wait doubles from 1 hour',
  },
  {
    when: 'new_succeeded_at is null',
    seconds: `least(30, 2 ** least(new_streak - 1, 10)) * ${DAY}`,
    because: 'no valid file so far: the wait doubles from 1 to 30 days',
  },
  {
    when: 'not is_held',
    seconds: `least(30, 2 ** least(greatest(new_streak - 8, 0), 10)) * ${DAY}`,
    because: 'where the file has been missing for a week, the wait grows to 30 days',
  },
  {
    when: "effect = 'absent'",
    seconds: 'if(new_streak = 1, 61 * 60, null)',
    because: 'a missing file is looked for again after an hour, then every night',
  },
  {
    seconds: `least(24, 2 ** least(new_streak - 1, 10)) * ${HOUR}`,
    because: 'after an answer that cannot be used, the wait doubles from 1 to 24 hours',
  },
]

function buildWaitCase(toResult: (rule: WaitRule) => string): string {
  const lines = waitRules.map(rule =>
    rule.when === undefined ? `else ${toResult(rule)}` : `when ${rule.when} then ${toResult(rule)}`,
  )
  return `\ncase\n  ${lines.join('\n  ')} end`
}

/** Seconds until a file is due again, by the rules above. */
export const WAIT_S = buildWaitCase(({ seconds }) => seconds)

/** Sentence that tells which of the rules decided. */
export const WAIT_REASON = buildWaitCase(({ because }) => `'${because}'`)

/**
 * Time at which a file is due again. Files fetched in one moment are not due in one: each location
 * waits up to a tenth longer, always the same part. It is the hash of DuckDB, which costs a tenth of
 * others; another one of a later version would move each file once. A held file waits for the nightly
 * run at most, and nothing is fetched sooner than its server allowed. Agents have a schedule of their
 * own, which no nightly run draws together.
 */
const NEXT_AT = `
greatest(
  seen_at + to_seconds(retry_after_s),
  least(
    seen_at + to_seconds(wait_s * (1 + hash(location) % 1000 / 10000)),
    if(is_held and kind != 'agent', $next_run::timestamptz, null)))`

/** Time at which any file is due again; an agent that is not named is never due. */
export const DUE_AT = `if(kind = 'agent' and due_at is null, null, ${NEXT_AT})`
