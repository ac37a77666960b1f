import type { Badge } from '../model/badge.ts'
import type { ComplianceState, MonitoringSettings } from '../model/compliance.ts'
import type { RecordedRun } from '../model/storyboards/storyboard-record.ts'
import { chooseCompliance, type TrackStatus, trackStatuses } from './compliance.ts'

/** A remark on the last runs of an agent’s tests, beside their verdict. */
export interface RunRemark {
  category: 'coverage' | 'reachability'
  severity: 'info' | 'warning'
  message: string
}

/** A circumstance that readers of an agent’s results should know. */
export interface Notice {
  code: 'monitoring_paused' | 'requalification_required' | 'badge_degraded' | 'not_reached'
  severity: 'info' | 'warning'
  message: string
}

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
    const message = `${title}: ${skipped_count} of ${skipped_count + steps_total} steps were not run`
    return [{ category: 'coverage', severity: 'info', message }]
  })
}

/** Lists the circumstances of an agent’s results; none after it opted out. */
export function listNotices(
  state: Pick<ComplianceState, 'headline' | 'status' | 'storyboards'>,
  settings: MonitoringSettings,
  badges: readonly Pick<Badge, 'role' | 'state'>[],
): Notice[] {
  if (settings.is_opted_out) return []
  const notices: Notice[] = []
  const add = (code: Notice['code'], severity: Notice['severity'], message: string) =>
    notices.push({ code, severity, message })
  if (settings.paused_at !== null) {
    add('monitoring_paused', 'info', 'no run is scheduled: results are as of the last one')
  }
  if (settings.needs_requalification) {
    add('requalification_required', 'info', 'no badge is issued before a full run has passed')
  }
  for (const { role, state } of badges) {
    if (state !== 'degraded') continue
    const text = `the badge for ${role} is lost unless its storyboards pass within 48 hours`
    add('badge_degraded', 'warning', text)
  }
  const isUnreached =
    state.headline !== null && state.status !== chooseCompliance(state.storyboards)
  if (isUnreached) add('not_reached', 'warning', `in the last run ${state.headline}`)
  return notices
}

export interface TrackDetail {
  track: string
  status: TrackStatus
  scenario_count: number
  passed_count: number
  duration_ms: number
}

/** Sums up the last runs by track, the part of the protocol that they test. */
export function summarizeTracks(
  runs: readonly (Pick<RecordedRun, 'status' | 'duration_ms'> & { track: string | null })[],
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
    }
  })
}
