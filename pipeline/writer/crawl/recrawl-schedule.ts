import { crc32 } from 'node:zlib'
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../core/clock.ts'
import type { Effect } from '../../core/outcomes.ts'
import { getAt, requireValue } from '../../core/present.ts'
import type { SourceKind } from '../../model/documents/index.ts'

/** Commit of a crawl state, and the bounds on when files are due again. */
export interface RecrawlContext {
  now: Instant
  seq: number
  /** The nightly run: a file that answered with a document lately is due then at the latest. */
  nextRun: Instant
  /** Shortest time until a file that has just changed is fetched again. */
  soonestMs: number
}

export const WEEK = 7 * DAY

/** Hours between probes of an agent: with the added tenth at least one a day; a failing one is probed sooner. */
const AGENT_HOURS = 21

/** Days after which a domain that is only mentioned is tried again. */
const MENTIONED_DAYS = [1, 7, 30]

/** Files fetched in one moment are not due in one: each has one of so many parts of a tenth of its wait. */
const SPREAD = 1_000

/** State of a file right after an attempt, as far as it decides when the next one is due. */
export interface Attempted {
  kind: SourceKind
  /** Effect of the last attempt, with or without an answer. */
  effect: Effect | null
  priority: number
  streak: number
  failures: number
  attempted_at: Instant
  succeeded_at: Instant | null
}

interface WaitRule {
  when: (file: Attempted) => boolean
  /** Wait in ms; undefined is the nightly run. */
  wait: (file: Attempted, soonestMs: number) => number | undefined
  /** Explanation for operators. */
  because: string
}

/** Computes a factor that doubles with each time after the first, ten times at most. */
const double = (times: number) => 2 ** Math.min(times - 1, 10)

const isUnreachable = ({ effect }: Attempted) => effect === 'unreachable'

/** Tells whether a file answered with a document within a week. */
function isHeld({ succeeded_at, attempted_at }: Attempted): boolean {
  return succeeded_at !== null && succeeded_at > attempted_at - WEEK
}

/**
 * Rules for when a file is due again, by the outcome of the attempt: the first that matches decides. A
 * file is "held" when it answered with a document within a week. A requested file is due as the request
 * says (crawl-requests.ts).
 */
const waitRules: readonly WaitRule[] = [
  {
    when: ({ kind }) => kind === 'agent',
    wait: file => {
      const times = isUnreachable(file) ? file.failures : file.streak
      const hours = file.effect === 'success' ? AGENT_HOURS : double(times)
      return Math.min(hours, AGENT_HOURS) * HOUR
    },
    because: 'agents are probed once a day, and a failing one sooner',
  },
  {
    when: ({ effect }) => effect === 'success',
    wait: ({ streak }, soonestMs) => soonestMs * double(streak),
    because: 'the interval doubles after each unchanged response, up to one day',
  },
  {
    when: ({ priority }) => priority === 3,
    wait: ({ streak, failures }) => getAt(MENTIONED_DAYS, Math.min(streak + failures, 3) - 1) * DAY,
    because: 'a domain that is only mentioned is tried after 1, 7 and 30 days',
  },
  {
    when: isUnreachable,
    wait: file => Math.min(isHeld(file) ? 24 : 30 * 24, double(file.failures)) * HOUR,
    because: 'the interval doubles after each attempt without a response, from 1 hour',
  },
  {
    when: ({ succeeded_at }) => succeeded_at === null,
    wait: ({ streak }) => Math.min(30, double(streak)) * DAY,
    because: 'without a valid file, the interval doubles from 1 to 30 days',
  },
  {
    when: file => !isHeld(file),
    wait: ({ streak }) => Math.min(30, 2 ** Math.min(Math.max(streak - 8, 0), 10)) * DAY,
    because: 'after a week without the file, the interval grows to 30 days',
  },
  {
    when: ({ effect }) => effect === 'absent',
    wait: ({ streak }) => (streak === 1 ? 61 * MINUTE : undefined),
    because: 'a missing file is looked for again after an hour, then every night',
  },
  {
    when: () => true,
    wait: ({ streak }) => Math.min(24, double(streak)) * HOUR,
    because: 'the interval doubles after each response that cannot be used, from 1 to 24 hours',
  },
]

/** Explains which of the rules decided. */
export function explainWait(file: Attempted): string {
  return findRule(file).because
}

function findRule(file: Attempted): WaitRule {
  return requireValue(
    waitRules.find(({ when }) => when(file)),
    'rule',
  )
}

/**
 * Computes when a file is due again. Files fetched in one moment are not due in one: each location
 * waits up to a tenth longer, always the same part. A held file waits for the nightly
 * run at most, and nothing is fetched sooner than its server allowed. Agents have a schedule of their
 * own, which no nightly run draws together.
 */
export function computeDueAt(
  file: Attempted & { location: string },
  retryAfterS: number | undefined,
  { nextRun, soonestMs }: RecrawlContext,
): Instant {
  const wait = findRule(file).wait(file, soonestMs)
  const allowedAt = file.attempted_at + (retryAfterS ?? 0) * SECOND
  const last = file.kind !== 'agent' && isHeld(file) ? nextRun : Number.POSITIVE_INFINITY
  if (wait === undefined || file.attempted_at + wait >= last) return Math.max(allowedAt, nextRun)
  const spread = (crc32(file.location) % SPREAD) / 10
  const own = Math.trunc(file.attempted_at + (wait / SECOND) * (SECOND + spread))
  return Math.max(allowedAt, Math.min(own, last))
}
