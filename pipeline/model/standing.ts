import type { BadgeLoss, BadgeRole } from './badge.ts'
import type { ComplianceStatus, CountedResult, LifecycleStage } from './compliance.ts'

/** A badge as everybody may see it. */
export interface ShownBadge {
  role: BadgeRole
  adcp_version: string
  verified_specialisms: string[]
}

/** Results of an agent, as the index shows them to everybody (table `agent_standings`). */
export interface AgentVerdict {
  agent_url: string
  status: ComplianceStatus | 'opted_out'
  lifecycle_stage: LifecycleStage
  headline: string | null
  tracks: Record<string, string>
  storyboards_passing: number
  storyboards_total: number
  storyboards: CountedResult[]
  streak_days: number
  last_checked_at: string | null
  badges: ShownBadge[]
}

/** Facts that events tell of badges besides what is shown. */
export interface BadgeHistory {
  generation: number
  /** Why each role was lost last. */
  losses: Partial<Record<BadgeRole, BadgeLoss>>
}
