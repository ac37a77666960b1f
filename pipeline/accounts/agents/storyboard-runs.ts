import type { CountedResult } from '../../model/compliance.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import { applySingle } from '../../resolve/compliance.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'
import { keepRequest } from './agent-requests.ts'
import { reviewBadges } from './badges.ts'
import { findCompliance, writeCompliance } from './compliance-state.ts'
import { findMonitoring } from './monitoring.ts'
import { storeDiagnostics } from './step-diagnostics.ts'

/** Stored runs of one agent at most. */
const RUNS_PER_AGENT_MAX = 500

/** Stores a run; beyond the maximum the oldest run of the agent is deleted. */
export function recordRun(
  db: Sqlite,
  { op: _, track, diagnostics = [], ...run }: OperationOf<'storyboard.record'>,
  stamp: AccountStamp,
): Answer {
  const { run_id, agent_url, kind, differing_steps = null, reference_status = null } = run
  const { seq } = stamp
  db.insert('storyboard_runs', [{ ...run, reference_status, differing_steps, seq }])
  keepLastRuns(db, agent_url)
  storeDiagnostics(db, run, { run_id, diagnostics, seq })
  // A run without any step did not reach the agent.
  const reached = run.steps_total > 0 || run.status === 'untested'
  const request = {
    request_id: run_id,
    agent_url,
    request_type: kind === 'run' ? 'storyboard_run' : 'comparison',
    response_time_ms: run.duration_ms,
    success: reached,
    error_message: reached ? null : run.first_failure_message,
    created_at: run.tested_at,
  } as const
  keepRequest(db, request, seq)
  if (kind === 'run') countRun(db, { ...run, track: track ?? null }, stamp)
  return { done: { run_id, agent_url } }
}

/** Counts the run of one storyboard for the status and the badges; alone it earns none. */
function countRun(
  db: Sqlite,
  { agent_url, ...result }: CountedResult & { agent_url: string },
  stamp: AccountStamp,
): void {
  const settings = findMonitoring(db, agent_url)
  if (settings.is_opted_out) return
  const state = applySingle(findCompliance(db, agent_url), result, stamp.now)
  writeCompliance(db, agent_url, state, stamp)
  reviewBadges(db, agent_url, { state, settings, isTested: true, isFullRun: false }, stamp)
}

/** Keeps the runs of one storyboard each that a scheduled run consists of. */
export function keepRuns(db: Sqlite, runs: readonly Omit<SuiteRow, 'kind'>[], seq: number): void {
  const none = { requested_by: null, reference_status: null, differing_steps: null }
  const rows = runs.map(run => ({ ...run, ...none, kind: 'scheduled', seq }))
  db.insert('storyboard_runs', rows)
}

type SuiteRow = Omit<
  OperationOf<'storyboard.record'>,
  'op' | 'requested_by' | 'diagnostics' | 'has_coverage_gap'
>

/** Drops the oldest runs of an agent where there are too many. */
export function keepLastRuns(db: Sqlite, agent_url: string): void {
  db.run(
    `delete from storyboard_runs where agent_url = $agent_url and run_id not in (
       select run_id from storyboard_runs where agent_url = $agent_url
       order by tested_at desc, run_id desc limit ${RUNS_PER_AGENT_MAX})`,
    { agent_url },
  )
}

/** Deletes the callers of runs that are older than an instant. */
export function forgetRequesters(db: Sqlite, until: string): void {
  db.run(
    `update storyboard_runs set requested_by = null
     where tested_at < $until and requested_by is not null`,
    { until },
  )
}

export const storyboardDefinitions: OperationDefinitions<'storyboard.record'> = {
  'storyboard.record': {
    perform: recordRun,
    requires: { membershipIn: ({ org_id }) => org_id },
    changesVerdicts: true,
    irreversible: 'a run cannot be undone: run the storyboard again',
  },
}
