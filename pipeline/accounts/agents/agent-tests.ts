import { groupBy } from '../../core/group.ts'
import { getFirst } from '../../core/present.ts'
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
import type { Sqlite, SqliteParameters } from '../../store/sqlite.ts'
import { STATE_COLUMNS } from './compliance-state.ts'

/** Rows from which the test state of an agent is projected; a change to any of them projects it again. */
export const TESTED = `(select agent_url, seq from agent_compliance
  union all select agent_url, seq from agent_monitoring
  union all select agent_url, seq from agent_badges
  union all select agent_url, seq from compliance_runs)`

type WithAgent<Row> = Row & { agent_url: string }

/** Loads the test state of the agents that match a condition. */
export function loadAgentTests(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): AgentTests[] {
  const rows = db.all<{ agent_url: string }>(
    `select distinct agent_url from ${TESTED} where ${where} order by agent_url`,
    parameters,
  )
  if (rows.length === 0) return []
  const agents = { agents: JSON.stringify(rows.map(({ agent_url }) => agent_url)) }
  const select = <Row>(columns: string, table: string, order = '') =>
    db.all<WithAgent<Row>>(
      `select agent_url, ${columns} from ${table}
       where agent_url in (select value from json_each($agents)) order by agent_url ${order}`,
      agents,
    )
  const states = groupByAgent(select<ComplianceState>(STATE_COLUMNS, 'agent_compliance'))
  const settings = groupByAgent(select<MonitoringSettings>(SETTING_COLUMNS, 'agent_monitoring'))
  const badges = groupByAgent(select<Badge>(BADGE_COLUMNS, 'agent_badges', ', role'))
  const suites = groupByAgent(
    select<SuiteRun>(SUITE_COLUMNS, 'compliance_runs', ', tested_at desc, run_id desc'),
  )
  return rows.map(({ agent_url }) => {
    const state = states.get(agent_url)?.[0]
    const monitoring = settings.get(agent_url)?.[0]
    return {
      agent_url,
      ...(state && { state }),
      ...(monitoring && { settings: monitoring }),
      badges: badges.get(agent_url) ?? [],
      suites: suites.get(agent_url) ?? [],
    }
  })
}

const SETTING_COLUMNS = `lifecycle_stage, is_opted_out, needs_requalification,
  generation, paused_at, interval_hours,
  requeued_at, created_at, updated_at`
const BADGE_COLUMNS = `role, adcp_version, state, verified_specialisms, verified_at, degraded_at,
  expires_at, revoked_for`
const SUITE_COLUMNS = `run_id, overall_status, headline, tracks,
  storyboards_passing,
  storyboards_total, duration_ms, tested_at`

function groupByAgent<Row>(rows: readonly WithAgent<Row>[]): Map<string, Row[]> {
  const groups = groupBy(rows, ({ agent_url }) => agent_url)
  return new Map(
    [...groups].map(([url, group]) => [
      url,
      group.map(({ agent_url: _, ...row }) => row as unknown as Row),
    ]),
  )
}

/**
 * Rows from which an organization's diagnostics of its agent are projected; a change to any of them projects
 * these again.
 */
export const DIAGNOSED = `(select agent_url, seq from storyboard_diagnostics
  union all select agent_url, seq from agent_requests)`

/**
 * Loads the steps of the latest runs of the agents that match a condition, and the requests made to these
 * agents.
 */
export function loadAgentDiagnostics(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): AgentDiagnostics[] {
  const selected = `agent_url in (select agent_url from ${DIAGNOSED} where ${where})`
  const steps = db.all<WithAgent<StepDiagnostic> & { run_id: string; captured_at: string }>(
    `select agent_url, run_id, captured_at, storyboard_id, phase_id, step_id, task, step_passed,
       duration_ms, error_text, failed_validations
     from storyboard_diagnostics where ${selected}
     order by agent_url, captured_at desc, run_id, position`,
    parameters,
  )
  const requests = groupByAgent(
    db.all<WithAgent<AgentRequest>>(
      `select agent_url, request_id, request_type, response_time_ms, success, error_message,
         created_at
       from agent_requests where ${selected}
       order by agent_url, created_at desc, request_id desc`,
      parameters,
    ),
  )
  const runs = groupBy(steps, row => row.agent_url)
  return [...new Set([...runs.keys(), ...requests.keys()])].map(agent_url => ({
    agent_url,
    runs: toDiagnosedRuns(runs.get(agent_url) ?? []),
    requests: requests.get(agent_url) ?? [],
  }))
}

function toDiagnosedRuns(
  steps: readonly (WithAgent<StepDiagnostic> & { run_id: string; captured_at: string })[],
): AgentDiagnostics['runs'] {
  return [...groupBy(steps, step => step.run_id)].map(([run_id, group]) => ({
    run_id,
    captured_at: getFirst(group).captured_at,
    steps: group.map(
      ({ agent_url: _, run_id: __, captured_at: ___, ...step }): StepDiagnostic => step,
    ),
  }))
}

/** Loads the stored requests and answers of test steps, for the agents that match a condition. */
export function loadAgentExchanges(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): { agent_url: string; exchanges: StoredExchange[] }[] {
  const rows = db.all<WithAgent<StoredExchange>>(
    `select agent_url, run_id, position, exchange from storyboard_exchanges
     where agent_url in (select agent_url from storyboard_exchanges where ${where})
     order by agent_url, run_id, position`,
    parameters,
  )
  return [...groupByAgent(rows)].map(([agent_url, exchanges]) => ({ agent_url, exchanges }))
}

/** Loads the credentials that match a condition; a deleted one has no value. */
export function loadCredentials(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): (Omit<StoredCredential, 'sealed'> & {
  org_id: string
  agent_url: string
  sealed: string | null
})[] {
  return db.all(
    `select org_id, agent_url, auth_type, sealed, saved_at from agent_credentials where ${where}`,
    parameters,
  )
}
