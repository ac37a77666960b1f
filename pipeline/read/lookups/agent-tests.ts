import { getFirst } from '../../core/present.ts'
import { type CredentialOwner, decryptCredential } from '../../model/agent-credential.ts'
import type { AgentRequest } from '../../model/agent-request.ts'
import type {
  AgentDiagnostics,
  AgentTests,
  StoredCredential,
  StoredExchange,
  SuiteRun,
} from '../../model/agent-test.ts'
import type { Badge } from '../../model/badge.ts'
import type { ComplianceState, MonitoringSettings } from '../../model/compliance.ts'
import type { StepDiagnostic } from '../../model/storyboards/step-diagnostic.ts'
import type { AgentRuns, RecordedRun } from '../../model/storyboards/storyboard-record.ts'
import { STATE_COLUMNS } from '../../store/private-rows/compliance-columns.ts'
import type { PrivateReader } from './private-rows.ts'

/** Finds the settings and results of an agent’s tests; undefined if it was never tested. */
export function findAgentTests(
  { record }: PrivateReader,
  agentUrl: string,
): AgentTests | undefined {
  const select = <Row>(columns: string, table: string, order = '') =>
    record?.all<Row>(`select ${columns} from ${table} where agent_url = $agentUrl ${order}`, {
      agentUrl,
    }) ?? []
  const [state] = select<ComplianceState>(STATE_COLUMNS, 'agent_compliance')
  const [settings] = select<MonitoringSettings>(SETTING_COLUMNS, 'agent_monitoring')
  const badges = select<Badge>(BADGE_COLUMNS, 'agent_badges', 'order by role')
  const latestFirst = 'order by tested_at desc, run_id desc'
  const suites = select<SuiteRun>(SUITE_COLUMNS, 'compliance_runs', latestFirst)
  if ((state ?? settings ?? badges[0] ?? suites[0]) === undefined) return undefined
  return {
    agent_url: agentUrl,
    ...(state && { state }),
    ...(settings && { settings }),
    badges,
    suites,
  }
}

const SETTING_COLUMNS = `lifecycle_stage, is_opted_out, needs_requalification,
  generation, paused_at, interval_hours,
  requeued_at, created_at, updated_at`
const BADGE_COLUMNS = `role, adcp_version, state, verified_specialisms, verified_at, degraded_at,
  expires_at, revoked_for`
const SUITE_COLUMNS = `run_id, overall_status, headline, tracks,
  storyboards_passing,
  storyboards_total, duration_ms, tested_at`

/** Finds the recorded steps and calls of an agent’s tests, which only its organization may read. */
export function findAgentDiagnostics(
  { record }: PrivateReader,
  agentUrl: string,
): AgentDiagnostics | undefined {
  if (record === undefined) return undefined
  const steps = record.all<StepDiagnostic & { run_id: string; captured_at: string }>(
    `select run_id, captured_at, storyboard_id, phase_id, step_id, task, step_passed,
       duration_ms, error_text, failed_validations
     from storyboard_diagnostics where agent_url = $agentUrl
     order by captured_at desc, run_id, position`,
    { agentUrl },
  )
  const requests = record.all<AgentRequest>(
    `select request_id, request_type, response_time_ms, success, error_message, created_at
     from agent_requests where agent_url = $agentUrl order by created_at desc, request_id desc`,
    { agentUrl },
  )
  if (steps.length + requests.length === 0) return undefined
  const runs = [...Map.groupBy(steps, step => step.run_id)].map(([run_id, group]) => ({
    run_id,
    captured_at: getFirst(group).captured_at,
    steps: group.map(({ run_id: _, captured_at: __, ...step }): StepDiagnostic => step),
  }))
  return { agent_url: agentUrl, runs, requests }
}

/** Finds requests and answers of steps that failed, by the run and the place of the step in it. */
export function findAgentExchanges({ record }: PrivateReader, agentUrl: string): StoredExchange[] {
  return (
    record?.all(
      `select run_id, position, exchange from storyboard_exchanges
       where agent_url = $agentUrl order by run_id, position`,
      { agentUrl },
    ) ?? []
  )
}

/** Finds the credential that an organization saved for its agent, encrypted. */
export function findAgentCredential(
  { record }: PrivateReader,
  orgId: string,
  agentUrl: string,
): StoredCredential | undefined {
  return record?.one(
    `select auth_type, sealed, saved_at from agent_credentials
     where org_id = $orgId and agent_url = $agentUrl and sealed is not null`,
    { orgId, agentUrl },
  )
}

/** Finds the commit in which a credential was last stored or deleted; undefined before the first. */
export function findLastCredentialChange({ record }: PrivateReader): number | undefined {
  const row = record?.one<{ seq: number | null }>('select max(seq) as seq from agent_credentials')
  return row?.seq ?? undefined
}

/** Counts the stored credentials of agents that this key cannot decrypt. */
export function countUnreadableCredentials(
  { record }: PrivateReader,
  key: string | undefined,
): number {
  const stored =
    record?.all<CredentialOwner & { sealed: string }>(
      'select org_id, agent_url, sealed from agent_credentials where sealed is not null',
    ) ?? []
  return stored.filter(
    ({ sealed, ...owner }) =>
      key === undefined || decryptCredential(key, sealed, owner) === undefined,
  ).length
}

/** Runs of one agent in an answer at most. */
const RUNS_SHOWN_MAX = 100

/** Finds the valid runs of storyboards against an agent; undefined if it was never tested. */
export function findAgentRuns({ record }: PrivateReader, agentUrl: string): AgentRuns | undefined {
  const runs = record?.all<RecordedRun>(
    `select run_id, kind, storyboard_id, tested_at, duration_ms, status,
       steps_passed, steps_total,
       failure_count, skipped_count,
       first_failed_step_id, first_failed_step_title, first_failed_step_task,
       first_failure_message
     from storyboard_runs where kind in ('run', 'scheduled') and agent_url = $agentUrl
     order by tested_at desc, run_id desc`,
    { agentUrl },
  )
  if (runs === undefined || runs.length === 0) return undefined
  const storyboards = [...Map.groupBy(runs, run => run.storyboard_id).values()].map(group => ({
    ...getFirst(group),
    last_passed_at: group.find(({ status }) => status === 'passing')?.tested_at ?? null,
  }))
  storyboards.sort((a, b) => (a.storyboard_id < b.storyboard_id ? -1 : 1))
  return {
    agent_url: agentUrl,
    storyboards,
    runs: runs.filter(({ kind }) => kind === 'run').slice(0, RUNS_SHOWN_MAX),
  }
}
