import { DAY, HOUR, type Instant } from '../../core/clock.ts'
import { type Effect, getEffect, isMissing } from '../../core/outcomes.ts'
import type { Observation } from '../../model/observation.ts'
import type { CrawlRow } from './crawl-rows.ts'
import { computeDueAt, type RecrawlContext, WEEK } from './recrawl-schedule.ts'

/** Change of the state of a file by an attempt to read it. */
export interface Transition {
  observation: Observation
  before: CrawlRow
  after: CrawlRow
  effect: Effect
  /** The content is new. */
  isNew: boolean
  /** More than times and counts differs. */
  hasChanged: boolean
  /** The stored state became valid, stale or expired by this, or did so by itself meanwhile. */
  changesValidity: boolean
}

/** Attempt as the state of its file shows it. */
interface Look {
  at: Instant
  before: CrawlRow
  effect: Effect
  streak: number
  /** An hour lies between the first and the last look of the streak. */
  isHourApart: boolean
}

/**
 * Computes the state of a file after an attempt to fetch it.
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
 */
export function computeTransition(
  before: CrawlRow,
  observation: Observation,
  context: RecrawlContext,
): Transition {
  const effect = getEffect(observation.outcome)
  const isNew = observation.outcome === 'ok' && (observation.hash || null) !== before.hash
  const look = observe(before, observation, isNew, context.now)
  const after = { ...before, seq: context.seq }
  setTimes(after, look, context.now)
  after.due_at = findDueAt(after, look, observation, context)
  if (observation.took_ms !== undefined) after.took_ms = observation.took_ms
  const hasChanged = isNew || isOtherResult(look, observation)
  if (hasChanged) applyResult(after, look, observation, isNew)
  const changesValidity = isOtherValidity(before, after, context.now)
  return { observation, before, after, effect, isNew, hasChanged, changesValidity }
}

/** Places an attempt: it is always later than the one before, whatever the clocks of the crawlers say. */
function observe(
  before: CrawlRow,
  { observed_at, outcome }: Observation,
  isNew: boolean,
  now: Instant,
): Look {
  const { attempted_at, streak_since } = before
  const isRising = attempted_at === null || observed_at > attempted_at
  const at = isRising ? observed_at : Math.max(now, attempted_at + 1)
  const effect = getEffect(outcome)
  const isSame = before.effect === effect && !isNew
  const streak = effect === 'unreachable' ? before.streak : isSame ? before.streak + 1 : 1
  const isHourApart = streak >= 2 && streak_since !== null && at >= streak_since + HOUR
  return { at, before, effect, streak, isHourApart }
}

function setTimes(after: CrawlRow, look: Look, now: Instant): void {
  const { at, before, effect, streak } = look
  after.attempted_at = at
  if (effect === 'success') after.succeeded_at = at
  after.streak = streak
  after.failures = effect === 'unreachable' ? Math.min(before.failures + 1, 255) : 0
  after.stale_at = computeStaleAt(look)
  after.ended_at = computeEndedAt(look)
  after.turns_at = findTurn(after.stale_at, after.ended_at, now)
}

const earlier = (known: Instant | null, at: Instant) => Math.min(known ?? at, at)

function computeStaleAt(look: Look): Instant {
  const { at, before, effect, isHourApart } = look
  const known = before.stale_at ?? at + WEEK
  switch (effect) {
    case 'success':
      return at + WEEK
    case 'absent':
    case 'unusable':
      return earlier(before.stale_at, at)
    case 'garbled':
      return isHourApart && before.outcome !== null && getEffect(before.outcome) === 'garbled'
        ? earlier(before.stale_at, at)
        : known
    default:
      return known
  }
}

function computeEndedAt({ at, before, effect, isHourApart }: Look): Instant {
  const known = before.ended_at ?? at + WEEK
  switch (effect) {
    case 'success':
      return at + WEEK
    case 'absent':
      return before.requested || isHourApart ? earlier(before.ended_at, at) : known
    case 'unusable':
      return before.succeeded_at === null ? known : Math.min(known, before.succeeded_at + DAY)
    default:
      return known
  }
}

/** Finds the time at which the state of a file next changes by itself. */
export function findTurn(
  stale_at: Instant | null,
  ended_at: Instant | null,
  now: Instant,
): Instant | null {
  const stale = stale_at !== null && stale_at > now ? stale_at : Number.POSITIVE_INFINITY
  const ended = ended_at !== null && ended_at > now ? ended_at : Number.POSITIVE_INFINITY
  const next = Math.min(stale, ended)
  return next === Number.POSITIVE_INFINITY ? null : next
}

/** Finds when a file is due again; an agent that is not named never is. */
function findDueAt(
  after: CrawlRow,
  { at, effect }: Look,
  { retry_after_s }: Observation,
  context: RecrawlContext,
): Instant | null {
  if (after.kind === 'agent' && after.due_at === null) return null
  return computeDueAt(
    {
      kind: after.kind,
      location: after.location,
      effect,
      priority: after.priority,
      streak: after.streak,
      failures: after.failures,
      attempted_at: at,
      succeeded_at: after.succeeded_at,
    },
    retry_after_s,
    context,
  )
}

/** Tells whether an answer that brought nothing new differs from the one before. */
function isOtherResult({ before, effect }: Look, observation: Observation): boolean {
  const isUnreachable = effect === 'unreachable'
  if (before.requested || (!isUnreachable && (before.effect !== effect || before.failures > 0))) {
    return true
  }
  if (effect !== 'success') {
    return observation.outcome !== before.outcome || (observation.status ?? null) !== before.status
  }
  const { etag, last_modified } = findValidators(before, observation)
  return etag !== before.etag || last_modified !== before.last_modified
}

/** Finds the validators of an answer; one that the file is unchanged may leave them out. */
function findValidators(
  before: CrawlRow,
  { outcome, ...said }: Observation,
): Pick<CrawlRow, 'etag' | 'last_modified'> {
  const etag = said.etag || null
  const last_modified = said.last_modified || null
  if (outcome !== 'unchanged') return { etag, last_modified }
  return {
    etag: etag ?? before.etag,
    last_modified: last_modified ?? before.last_modified,
  }
}

function applyResult(after: CrawlRow, look: Look, observation: Observation, isNew: boolean): void {
  const { before, effect, at } = look
  const { outcome } = observation
  after.outcome = outcome
  after.status = observation.status ?? null
  after.requested = 0
  if (effect === 'success' || before.priority < 2) after.priority = 2
  if (isNew) after.hash = observation.hash || null
  if (effect === 'success' || isMissing(outcome)) after.absent_at = null
  else if (isMissing(before.outcome)) after.absent_at = before.attempted_at
  if (effect === 'unreachable') return
  after.effect = effect
  if (look.streak === 1) after.streak_since = at
  Object.assign(after, findValidators(before, observation))
}

const isPast = (time: Instant | null, now: Instant) => time !== null && time <= now

function isOtherValidity(before: CrawlRow, after: CrawlRow, now: Instant): boolean {
  return (
    isPast(before.stale_at, now) !== isPast(after.stale_at, now) ||
    isPast(before.ended_at, now) !== isPast(after.ended_at, now) ||
    isPast(before.turns_at, now)
  )
}
