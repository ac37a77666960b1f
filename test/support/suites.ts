import { randomUUID } from 'node:crypto'
import { type Instant, toIso } from '../../pipeline/core/clock.ts'
import type { SuiteResult } from '../../pipeline/model/compliance.ts'
import type { OperationOf } from '../../pipeline/model/submission.ts'

interface SuiteOptions {
  agent_url: string
  org_id: string
  at: Instant
  status?: SuiteResult['status']
  specialisms?: string[]
  outcome?: OperationOf<'compliance.record'>['outcome']
  supports_version?: boolean
}

/** Builds what a crawler tells of a run against an agent that sells signals. */
export function buildSuite({
  at,
  status = 'passing',
  specialisms = ['signal-owned'],
  outcome = 'tested',
  supports_version = true,
  ...place
}: SuiteOptions): OperationOf<'compliance.record'> {
  return {
    op: 'compliance.record',
    run_id: randomUUID(),
    tested_at: toIso(at),
    ...place,
    outcome,
    supports_version,
    specialisms,
    results: outcome === 'tested' ? [buildResult(status)] : [],
    diagnostics: [],
    duration_ms: 10,
  }
}

function buildResult(status: SuiteResult['status']): SuiteResult {
  const failed = status === 'passing' ? null : 'search_signals'
  return {
    run_id: randomUUID(),
    storyboard_id: 'signal_activation',
    track: 'signals',
    duration_ms: 10,
    status,
    steps_passed: status === 'passing' ? 5 : 2,
    steps_total: 5,
    failure_count: status === 'passing' ? 0 : 3,
    skipped_count: 0,
    first_failed_step_id: failed,
    first_failed_step_title: failed,
    first_failed_step_task: failed,
    first_failure_message: failed,
  }
}
