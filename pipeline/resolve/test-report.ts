import { countThings, formatCount } from '../core/counts.ts'
import { getFirst } from '../core/present.ts'
import type { Badge } from '../model/badge.ts'
import type { ComplianceState, MonitoringSettings } from '../model/compliance.ts'
import { NOTICES_MAX, type noticeCodes } from '../model/responses/compliance.ts'
import type { RecordedRun } from '../model/storyboards/storyboard-record.ts'
import { judgeSpecialisms, listTestedVersions } from './badges.ts'
import { chooseCompliance, type TrackStatus, trackStatuses } from './compliance.ts'

/** A remark on the last runs of an agent’s tests, beside their verdict. */
export interface RunRemark {
  category: 'coverage' | 'reachability'
  severity: 'info' | 'warning'
  message: string
}

/** A circumstance that readers of an agent’s results should know. */
export interface Notice {
  code: (typeof noticeCodes)[number]
  severity: 'info' | 'warning'
  message: string
  /** Path of the capability that it is about, with dots, and the same as a JSON pointer. */
  capability_path?: string
  capability_pointer?: string
  /** The condition on which it goes. */
  requirement?: string
  /** Version of the protocol for which it holds. */
  effective_version?: string
  /** The page of this registry that explains it. */
  reference_url?: string
}

/** The page that explains how agents are tested. */
const TESTS_GUIDE = '/docs/guides/agent-operator'

/** Describes which steps of the last runs were not run. */
export function describeRuns(
  runs: readonly { title: string; skipped_count: number; steps_total: number }[],
): RunRemark[] {
  return runs.flatMap(({ title, skipped_count, steps_total }): RunRemark[] => {
    if (steps_total === 0) {
      const message = `${title}: no step could be run`
      return [{ category: 'reachability', severity: 'warning', message }]
    }
    if (skipped_count === 0) return []
    const message = `${title}: ${formatCount(skipped_count)} of ${countThings(skipped_count + steps_total, 'step')} not run`
    return [{ category: 'coverage', severity: 'info', message }]
  })
}

/** Lists the circumstances of an agent’s results; none after it opted out. */
export function listNotices(
  state: Pick<ComplianceState, 'headline' | 'status' | 'storyboards' | 'specialisms'>,
  settings: MonitoringSettings,
  badges: readonly Pick<Badge, 'role' | 'state' | 'adcp_version'>[],
): Notice[] {
  if (settings.is_opted_out) return []
  const notices: Notice[] = []
  const add = (
    code: Notice['code'],
    severity: Notice['severity'],
    message: string,
    more: Partial<Notice> = {},
  ) => notices.push({ code, severity, message, ...more, reference_url: TESTS_GUIDE })
  if (settings.paused_at !== null) {
    add('monitoring_paused', 'info', 'no run is scheduled: results are as of the last one')
  }
  if (settings.needs_requalification) {
    add('requalification_required', 'info', 'no badge is issued before a full run has passed', {
      requirement: 'a full run passes',
    })
  }
  for (const { role, state, adcp_version } of badges) {
    if (state !== 'degraded') continue
    const text = `the badge for ${role} is lost unless its storyboards pass within 48 hours`
    add('badge_degraded', 'warning', text, {
      requirement: `every storyboard of ${role} passes`,
      effective_version: adcp_version,
    })
  }
  for (const [name, status] of Object.entries(judgeSpecialisms(state))) {
    if (status !== 'failing') continue
    add('specialism_failing', 'warning', `it claims ${name}, and does not pass its storyboards`, {
      capability_path: 'specialisms',
      capability_pointer: `/specialisms/${state.specialisms.indexOf(name)}`,
      requirement: `every storyboard of ${name} passes, or the claim is withdrawn`,
      effective_version: getFirst(listTestedVersions(state)),
    })
  }
  const isUnreached =
    state.headline !== null && state.status !== chooseCompliance(state.storyboards)
  if (isUnreached) add('not_reached', 'warning', `in the last run ${state.headline}`)
  return notices.slice(0, NOTICES_MAX)
}

export interface TrackDetail {
  track: string
  status: TrackStatus
  scenario_count: number
  passed_count: number
  duration_ms: number
  /** Steps were not run because the agent does not offer their tasks. */
  has_coverage_gap_skip: boolean
}

/** Sums up the last runs by track, the part of the protocol that they test. */
export function summarizeTracks(
  runs: readonly (Pick<RecordedRun, 'status' | 'duration_ms'> & {
    track: string | null
    has_coverage_gap?: boolean
  })[],
): TrackDetail[] {
  const tracks = [...new Set(runs.flatMap(({ track }) => track ?? []))].sort()
  return tracks.map(track => {
    const members = runs.filter(run => run.track === track)
    return {
      track,
      status: trackStatuses[chooseCompliance(members)],
      scenario_count: members.length,
      passed_count: members.filter(({ status }) => status === 'passing').length,
      duration_ms: members.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
      has_coverage_gap_skip: members.some(({ has_coverage_gap = false }) => has_coverage_gap),
    }
  })
}
