import { DAY, type Instant, toIso } from '../core/clock.ts'
import { countThings, formatCount } from '../core/counts.ts'
import type {
  ComplianceState,
  ComplianceStatus,
  CountedResult,
  Suite,
} from '../model/compliance.ts'

export type TrackStatus = 'pass' | 'partial' | 'fail' | 'skip'

export const untestedState: ComplianceState = {
  status: 'unknown',
  status_changed_at: null,
  headline: null,
  storyboards: [],
  specialisms: [],
  supports_version: false,
  last_checked_at: null,
  last_passed_at: null,
  last_failed_at: null,
  streak_started_at: null,
  streak_days: 0,
}

/** Counts the results that pass, and those that could be judged. */
export function countPassing(results: readonly Pick<CountedResult, 'status'>[]) {
  return {
    passing: results.filter(({ status }) => status === 'passing').length,
    total: results.filter(({ status }) => status !== 'untested').length,
  }
}

/** Chooses the status of an agent by its results; without one that could be judged it is unknown. */
export function chooseCompliance(
  results: readonly Pick<CountedResult, 'status'>[],
): ComplianceStatus {
  const { passing, total } = countPassing(results)
  if (total === 0) return 'unknown'
  if (passing === total) return 'passing'
  return passing === 0 ? 'failing' : 'degraded'
}

/** Statuses of a part of the protocol by those of an agent. */
export const trackStatuses = {
  passing: 'pass',
  degraded: 'partial',
  failing: 'fail',
  unknown: 'skip',
} as const satisfies Record<ComplianceStatus, TrackStatus>

/** Sums results up by the part of the protocol that they are about. */
export function sumByTrack(
  results: readonly Pick<CountedResult, 'track' | 'status'>[],
): Record<string, TrackStatus> {
  const tracks = Map.groupBy(
    results.filter(({ track }) => track !== null),
    ({ track }) => track ?? '',
  )
  return Object.fromEntries(
    [...tracks].map(([track, members]) => [track, trackStatuses[chooseCompliance(members)]]),
  )
}

export function describeResults(results: readonly Pick<CountedResult, 'status'>[]): string | null {
  const { passing, total } = countPassing(results)
  return total === 0
    ? null
    : `${formatCount(passing)} of ${countThings(total, 'storyboard passes', 'storyboards pass')}`
}

/** Headline of an agent that could not be tested because it requires a credential. */
export const REQUIRES_CREDENTIAL = 'the agent requires a credential'
/** Headline of an agent that gave no usable answer. */
export const CANNOT_BE_REACHED = 'the agent cannot be reached'

const unreached = {
  auth_required: { status: 'unknown', headline: REQUIRES_CREDENTIAL },
  unreachable: { status: 'failing', headline: CANNOT_BE_REACHED },
} as const

/**
 * Applies a full run. Results that the run could not update stay as they were; the status is computed again.
 */
export function applySuite(
  known: ComplianceState,
  suite: Pick<Suite, 'outcome' | 'results' | 'specialisms' | 'supports_version'>,
  now: Instant,
): ComplianceState {
  if (suite.outcome !== 'tested') {
    const { status, headline } = unreached[suite.outcome]
    return settleState(known, { ...known, status, headline }, now)
  }
  const { results, specialisms, supports_version } = suite
  const storyboards = results.map(toCounted)
  return settleState(
    known,
    { ...known, storyboards, specialisms, supports_version, ...judge(storyboards) },
    now,
  )
}

/** Applies the run of one storyboard beside the last results of the others. */
export function applySingle(
  known: ComplianceState,
  result: CountedResult,
  now: Instant,
): ComplianceState {
  const others = known.storyboards.filter(
    ({ storyboard_id }) => storyboard_id !== result.storyboard_id,
  )
  const before = known.storyboards.find(
    ({ storyboard_id }) => storyboard_id === result.storyboard_id,
  )
  const storyboards = [
    ...others,
    toCounted({ ...(before?.shows && { shows: before.shows }), ...result }),
  ].sort((a, b) => (a.storyboard_id < b.storyboard_id ? -1 : 1))
  return settleState(known, { ...known, storyboards, ...judge(storyboards) }, now)
}

function judge(storyboards: readonly CountedResult[]) {
  return { status: chooseCompliance(storyboards), headline: describeResults(storyboards) }
}

function toCounted(result: CountedResult): CountedResult {
  const { shows, has_coverage_gap, ...more } = result
  const { storyboard_id, track, status, steps_passed, steps_total } = more
  return {
    storyboard_id,
    track,
    status,
    steps_passed,
    steps_total,
    ...(shows && { shows }),
    ...(has_coverage_gap && { has_coverage_gap }),
  }
}

/** Adds the times that follow from a status. The streak begins with the first run that passes. */
function settleState(known: ComplianceState, next: ComplianceState, now: Instant): ComplianceState {
  const at = toIso(now)
  const passes = next.status === 'passing'
  const fails = next.status === 'failing' || next.status === 'degraded'
  const start = passes ? (known.streak_started_at ?? at) : null
  const days = start === null ? 0 : Math.floor((now - Date.parse(start)) / DAY)
  return {
    ...next,
    status_changed_at: next.status === known.status ? known.status_changed_at : at,
    last_checked_at: at,
    last_passed_at: passes ? at : known.last_passed_at,
    last_failed_at: fails ? at : known.last_failed_at,
    streak_started_at: start,
    streak_days: passes && known.streak_started_at !== null ? Math.max(1, days) : 0,
  }
}
