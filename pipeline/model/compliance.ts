import { z } from 'zod'
import { EnrolledUrl } from './accounts/member.ts'
import { BadgeRole } from './badge.ts'
import { StepDiagnostic } from './storyboards/step-diagnostic.ts'
import { tracks } from './storyboards/storyboard.ts'
import { has_coverage_gap, storyboardResult } from './storyboards/storyboard-record.ts'

export const complianceStatuses = ['passing', 'degraded', 'failing', 'unknown'] as const
export type ComplianceStatus = (typeof complianceStatuses)[number]

export const lifecycleStages = ['development', 'testing', 'production', 'deprecated'] as const
export type LifecycleStage = (typeof lifecycleStages)[number]

/** Hours between scheduled runs. */
export const INTERVAL_HOURS = { min: 6, max: 168, usual: 12 } as const
export const IntervalHours = z.int().min(INTERVAL_HOURS.min).max(INTERVAL_HOURS.max)

/** Kinds of credentials that are sent as they are. */
export const tokenTypes = ['bearer', 'basic'] as const
export const credentialTypes = [...tokenTypes, 'oauth_client_credentials'] as const
export type TokenType = (typeof tokenTypes)[number]
export type CredentialType = (typeof credentialTypes)[number]

/** Characters of an encrypted credential; client credentials are the longest. */
export const SEALED_CHARS_MAX = 40_000

/** Ends of a scheduled run: the agent was tested, or why it could not be. */
export const suiteOutcomes = ['tested', 'auth_required', 'unreachable'] as const

const id = z.string().min(1).max(200)
const org_id = z.string().min(1).max(300)

/** Specialism that a storyboard shows: it must pass, or where it can be run it must not fail. */
export const ShownSpecialism = z.object({
  specialism: id,
  role: BadgeRole,
  as: z.enum(['storyboard', 'scenario']),
})
export type ShownSpecialism = z.infer<typeof ShownSpecialism>

export const SuiteResult = z.object({
  run_id: z.uuid(),
  storyboard_id: id,
  track: z.enum(tracks),
  duration_ms: z.number().nonnegative(),
  /** Specialisms that it shows, by its bundle. */
  shows: z.array(ShownSpecialism).max(50).exactOptional(),
  has_coverage_gap,
  ...storyboardResult,
})
export type SuiteResult = z.infer<typeof SuiteResult>

/** Result of running all storyboards that apply to an agent. */
export const Suite = z.object({
  outcome: z.enum(suiteOutcomes),
  /** True where the agent says that it speaks the version that badges are issued for. */
  supports_version: z.boolean(),
  /** Specialisms that the agent claims. */
  specialisms: z.array(id).max(100),
  results: z.array(SuiteResult).max(1_000),
  diagnostics: z.array(StepDiagnostic).max(1_000),
  duration_ms: z.number().nonnegative(),
})
export type Suite = z.infer<typeof Suite>

/** Operations on the tests of agents and on their results. */
export const complianceOperations = [
  /** Fields that are left out stay as they are. */
  z.object({
    op: z.literal('monitoring.change'),
    agent_url: EnrolledUrl,
    org_id,
    lifecycle_stage: z.enum(lifecycleStages).exactOptional(),
    opt_out: z.boolean().exactOptional(),
    paused: z.boolean().exactOptional(),
    interval_hours: IntervalHours.exactOptional(),
    /** True if the next run is due at once. */
    requeue: z.literal(true).exactOptional(),
  }),
  z.object({
    op: z.literal('agent.credential.save'),
    agent_url: EnrolledUrl,
    org_id,
    auth_type: z.enum(credentialTypes),
    /** The credential, encrypted by the API (core/sealing.ts). */
    sealed_secret: z.string().min(1).max(SEALED_CHARS_MAX),
  }),
  z.object({ op: z.literal('agent.credential.remove'), agent_url: EnrolledUrl, org_id }),
  /** The registry tested an agent by schedule. */
  z.object({
    op: z.literal('compliance.record'),
    run_id: z.uuid(),
    agent_url: EnrolledUrl,
    org_id,
    tested_at: z.iso.datetime(),
    /** True if its organization asked for the run, which is then not a scheduled one. */
    requested: z.literal(true).exactOptional(),
    ...Suite.shape,
  }),
  /** Badges whose time is over end. */
  z.object({ op: z.literal('badges.lapse'), agent_urls: z.array(EnrolledUrl).min(1).max(1_000) }),
] as const

/** Last result of one storyboard, as far as it counts. */
export interface CountedResult {
  storyboard_id: string
  track: string | null
  status: 'passing' | 'partial' | 'failing' | 'untested'
  steps_passed: number
  steps_total: number
  shows?: ShownSpecialism[]
  has_coverage_gap?: true | undefined
}

/** Results of an agent as of its last run. */
export interface ComplianceState {
  status: ComplianceStatus
  status_changed_at: string | null
  headline: string | null
  storyboards: CountedResult[]
  specialisms: string[]
  supports_version: boolean
  last_checked_at: string | null
  last_passed_at: string | null
  last_failed_at: string | null
  streak_started_at: string | null
  /** Full days during which every run passed. */
  streak_days: number
}

/** Settings by which an organization has its agent tested. */
export interface MonitoringSettings {
  lifecycle_stage: LifecycleStage
  is_opted_out: boolean
  /** Since an opt-out: no badge is issued before a full run has passed. */
  needs_requalification: boolean
  /** Raised by each opt-out. */
  generation: number
  paused_at: string | null
  interval_hours: number
  requeued_at: string | null
  created_at: string | null
  updated_at: string | null
}

export const usualSettings: MonitoringSettings = {
  lifecycle_stage: 'production',
  is_opted_out: false,
  needs_requalification: false,
  generation: 0,
  paused_at: null,
  interval_hours: INTERVAL_HOURS.usual,
  requeued_at: null,
  created_at: null,
  updated_at: null,
}
