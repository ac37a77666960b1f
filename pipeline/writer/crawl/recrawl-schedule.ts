import { type Instant, SECOND } from '../../core/clock.ts'
import type { Parameters } from '../../store/database.ts'

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
  return { now, seq, next_run: nextRun, soonest_s: soonestMs / SECOND }
}

export const DAY_LATER = String(24 * 3_600_000)
export const WEEK_LATER = String(168 * 3_600_000)

export const IS_HELD = `coalesce(new_succeeded_at > seen_at - ${WEEK_LATER}, false)`

/** Time at which the state of a file next changes by itself. */
export const TURNS_AT = `
coalesce(
  min(if(new_stale_at > $now, new_stale_at, null), if(new_ended_at > $now, new_ended_at, null)),
  if(new_stale_at > $now, new_stale_at, null),
  if(new_ended_at > $now, new_ended_at, null))`

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
    seconds: `min(
    if(effect = 'success', ${AGENT_HOURS},
      pow(2, min(if(is_unreachable, new_failures, new_streak) - 1, 10))), ${AGENT_HOURS}) * ${HOUR}`,
    because: 'agents are probed once a day, and a failing one sooner',
  },
  {
    when: "effect = 'success'",
    seconds: '$soonest_s * pow(2, min(new_streak - 1, 10))',
    because: 'the wait doubles with each unchanged answer, to the nightly run at most',
  },
  {
    when: 'priority = 3',
    seconds: `case min(new_streak + new_failures, 3) when 1 then 1 when 2 then 7 when 3 then 30 end * ${DAY}`,
    because: 'a domain that is only mentioned is tried after 1, 7 and 30 days',
  },
  {
    when: 'is_unreachable',
    seconds: `min(if(is_held, 24, 30 * 24), pow(2, min(new_failures - 1, 10))) * ${HOUR}`,
    because: 'after an attempt without an answer, the wait doubles from 1 hour',
  },
  {
    when: 'new_succeeded_at is null',
    seconds: `min(30, pow(2, min(new_streak - 1, 10))) * ${DAY}`,
    because: 'where there never was a file, the wait doubles from 1 to 30 days',
  },
  {
    when: 'not is_held',
    seconds: `min(30, pow(2, min(max(new_streak - 8, 0), 10))) * ${DAY}`,
    because: 'where the file has been missing for a week, the wait grows to 30 days',
  },
  {
    when: "effect = 'absent'",
    seconds: 'if(new_streak = 1, 61 * 60, null)',
    because: 'a missing file is looked for again after an hour, then every night',
  },
  {
    seconds: `min(24, pow(2, min(new_streak - 1, 10))) * ${HOUR}`,
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
 * waits up to a tenth longer, always the same part (`spread`, staging.ts). A held file waits for the nightly
 * run at most, and nothing is fetched sooner than its server allowed. Agents have a schedule of their
 * own, which no nightly run draws together.
 */
const NEXT_AT = `
cast(max(
  seen_at + coalesce(retry_after_s, 0) * 1000,
  min(
    if(wait_s is null, $next_run, seen_at + wait_s * (1000 + spread / 10.0)),
    if((is_held and kind != 'agent') or wait_s is null, $next_run, 9e18))) as integer)`

/** Time at which any file is due again; an agent that is not named is never due. */
export const DUE_AT = `if(kind = 'agent' and due_at is null, null, ${NEXT_AT})`
