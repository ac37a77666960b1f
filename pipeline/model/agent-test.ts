import type { AgentRequest } from './agent-request.ts'
import type { Badge } from './badge.ts'
import type { ComplianceState, CredentialType, MonitoringSettings } from './compliance.ts'
import type { StepDiagnostic } from './storyboards/step-diagnostic.ts'
import type { StepExchange } from './storyboards/step-exchange.ts'
import type { StepGuidance } from './storyboards/storyboard-result.ts'

/** A scheduled run as readers see it. */
export interface SuiteRun {
  run_id: string
  overall_status: 'passing' | 'partial' | 'failing' | 'unknown'
  headline: string | null
  tracks: Record<string, string>
  storyboards_passing: number
  storyboards_total: number
  duration_ms: number
  tested_at: string
}

/** Settings and results of an agent's tests. */
export interface AgentTests {
  agent_url: string
  /** Absent where it was never tested. */
  state?: ComplianceState
  /** Absent if its organization has set nothing. */
  settings?: MonitoringSettings
  badges: Badge[]
  /** The newest first. */
  suites: SuiteRun[]
}

/** Steps of the last scheduled runs of an agent, in their order, the newest run first. */
export interface AgentDiagnostics {
  agent_url: string
  runs: { run_id: string; captured_at: string; steps: StepDiagnostic[] }[]
  /** Calls of the agent, the newest first; absent in records of older versions. */
  requests?: AgentRequest[]
}

/** Request and answer of a step of a run, by its place among the steps, from 1. */
export interface StoredExchange {
  run_id: string
  position: number
  /** With the help for its owner; absent in records of older versions. */
  exchange: StepExchange & { guidance?: StepGuidance }
}

/** The credential of an agent, encrypted. */
export interface StoredCredential {
  auth_type: CredentialType
  sealed: string
  saved_at: string
}
