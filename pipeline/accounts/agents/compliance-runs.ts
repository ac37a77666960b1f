import type { ComplianceState, MonitoringSettings } from '../../model/compliance.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import { applySuite, countPassing, sumByTrack } from '../../resolve/compliance.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'
import { keepRequest } from './agent-requests.ts'
import { reviewBadges } from './badges.ts'
import { findCompliance, writeCompliance } from './compliance-state.ts'
import { findMonitoring, refuseOther } from './monitoring.ts'
import { storeDiagnostics } from './step-diagnostics.ts'
import { keepLastRuns, keepRuns } from './storyboard-runs.ts'

/** Stored runs of one agent at most. */
const RUNS_MAX = 100

/** Stores the results of a scheduled run, and updates the agent's status and badges. */
export function recordSuite(
  db: Sqlite,
  suite: OperationOf<'compliance.record'>,
  stamp: AccountStamp,
): Answer {
  const { agent_url, org_id, run_id } = suite
  const refusal = refuseOther(db, agent_url, org_id)
  if (refusal) return refusal
  const settings = findMonitoring(db, agent_url)
  if (settings.is_opted_out) return { refused: 'the agent is not tested', error: 'conflict' }
  const state = applySuite(findCompliance(db, agent_url), suite, stamp.now)
  writeCompliance(db, agent_url, state, stamp)
  storeSuite(db, suite, state, stamp)
  updateBadges(db, suite, { state, settings }, stamp)
  return { done: { run_id, agent_url, status: state.status } }
}

/** Updates the badges of an agent after a full run, which requalifies it where it passed. */
function updateBadges(
  db: Sqlite,
  { agent_url, outcome }: OperationOf<'compliance.record'>,
  { state, settings }: { state: ComplianceState; settings: MonitoringSettings },
  stamp: AccountStamp,
): void {
  const isRequalified = settings.needs_requalification && state.status === 'passing'
  if (isRequalified) {
    db.run(
      'update agent_monitoring set needs_requalification = false, seq = $seq where agent_url = $agent_url',
      { agent_url, seq: stamp.seq },
    )
  }
  const needsRequalification = settings.needs_requalification && !isRequalified
  reviewBadges(
    db,
    agent_url,
    {
      state,
      settings: { ...settings, needs_requalification: needsRequalification },
      isTested: outcome === 'tested',
      isFullRun: outcome === 'tested',
    },
    stamp,
  )
}

function storeSuite(
  db: Sqlite,
  suite: OperationOf<'compliance.record'>,
  state: ComplianceState,
  { seq }: AccountStamp,
): void {
  const { run_id, agent_url, org_id, tested_at, duration_ms, results, diagnostics } = suite
  const tested = { agent_url, org_id, tested_at }
  keepRuns(
    db,
    results.map(({ track: _, ...result }) => ({ ...tested, ...result })),
    seq,
  )
  keepLastRuns(db, agent_url)
  const { passing, total } = countPassing(results)
  const statusNames = {
    passing: 'passing',
    degraded: 'partial',
    failing: 'failing',
    unknown: 'unknown',
  }
  db.insert('compliance_runs', [
    {
      ...tested,
      run_id,
      overall_status: statusNames[state.status],
      headline: state.headline,
      tracks: sumByTrack(results),
      storyboards_passing: passing,
      storyboards_total: total,
      duration_ms,
      seq,
    },
  ])
  storeDiagnostics(db, tested, { run_id, diagnostics, seq })
  const reached = suite.outcome === 'tested'
  const request = {
    request_id: run_id,
    agent_url,
    request_type: suite.requested ? 'requested_run' : 'scheduled_run',
    response_time_ms: duration_ms,
    success: reached,
    error_message: reached ? null : state.headline,
    created_at: tested_at,
  } as const
  keepRequest(db, request, seq)
  dropOldRuns(db, agent_url)
}

function dropOldRuns(db: Sqlite, agent_url: string): void {
  db.run(
    `delete from compliance_runs where agent_url = $agent_url and run_id not in (
       select run_id from compliance_runs where agent_url = $agent_url
       order by tested_at desc, run_id desc limit ${RUNS_MAX})`,
    { agent_url },
  )
}

export const complianceDefinitions: OperationDefinitions<'compliance.record'> = {
  'compliance.record': {
    perform: recordSuite,
    changesVerdicts: true,
    irreversible: 'the agent was called: have it tested again',
  },
}
