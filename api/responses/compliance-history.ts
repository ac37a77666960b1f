import { toIso } from '../../pipeline/core/clock.ts'
import { countThings, formatCount } from '../../pipeline/core/counts.ts'
import type { SuiteRun } from '../../pipeline/model/agent-test.ts'
import type { ComplianceHistory } from '../../pipeline/model/responses/compliance.ts'
import { COMPLIANCE_TARGET } from '../../pipeline/model/storyboards/storyboard.ts'
import type { RecordedRun } from '../../pipeline/model/storyboards/storyboard-record.ts'
import { findTarget } from '../../pipeline/model/storyboards/storyboard-target.ts'
import { findAgentDiagnostics } from '../../pipeline/read/lookups/agent-tests.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { sumByTrack } from '../../pipeline/resolve/compliance.ts'
import { findEntry } from '../../pipeline/storyboards/catalog.ts'
import { describeTarget, isOptedOut, type ShownRuns } from './shown-runs.ts'

/** Lists runs, the newest first: scheduled ones, and those of single storyboards. */
export function describeHistory(
  shown: ShownRuns,
  reader: Reader,
  limit: number,
): ComplianceHistory {
  const listed = listHistory(shown, reader).slice(0, limit)
  return { agent_url: shown.agent_url, runs: listed, count: listed.length }
}

/** Lists all runs that are kept, the newest first. */
export function listHistory({ agent_url, runs, tests }: ShownRuns, reader: Reader): HistoryRun[] {
  const suites = isOptedOut(tests) ? [] : (tests?.suites ?? [])
  const requests = findAgentDiagnostics(reader, agent_url)?.requests ?? []
  const requested = new Set(
    requests.flatMap(({ request_id, request_type }) =>
      request_type === 'requested_run' ? [request_id] : [],
    ),
  )
  const shownSuites = suites.map(run => toHistorySuite(run, requested.has(run.run_id)))
  return [...shownSuites, ...runs.map(toHistoryRun)].sort(
    (a, b) => Date.parse(b.tested_at) - Date.parse(a.tested_at),
  )
}

type HistoryRun = ComplianceHistory['runs'][number]

function toHistoryRun(run: RecordedRun): HistoryRun {
  const { run_id, storyboard_id, status, duration_ms, tested_at } = run
  const track = findEntry(storyboard_id)?.storyboard.track ?? null
  return {
    id: run_id,
    ...describeTarget(findTarget(storyboard_id)),
    storyboard_id,
    overall_status: status,
    headline: `${formatCount(run.steps_passed)} of ${countThings(run.steps_total, 'step')} passed`,
    ...countTracks(sumByTrack([{ track, status }])),
    tracks_json: {},
    total_duration_ms: duration_ms,
    triggered_by: 'owner_test',
    tested_at,
  }
}

function toHistorySuite(run: SuiteRun, isRequested: boolean): HistoryRun {
  const { run_id, overall_status, headline, tracks, duration_ms, tested_at } = run
  return {
    id: run_id,
    ...describeTarget(COMPLIANCE_TARGET),
    storyboard_id: null,
    overall_status,
    headline,
    ...countTracks(tracks),
    tracks_json: tracks as HistoryRun['tracks_json'],
    total_duration_ms: duration_ms,
    triggered_by: isRequested ? 'manual' : 'heartbeat',
    tested_at: toIso(Date.parse(tested_at)),
  }
}

function countTracks(tracks: Readonly<Record<string, string>>) {
  const count = (word: string) => Object.values(tracks).filter(status => status === word).length
  return {
    tracks_passed: count('pass'),
    tracks_failed: count('fail'),
    tracks_partial: count('partial'),
    tracks_skipped: count('skip'),
  }
}
