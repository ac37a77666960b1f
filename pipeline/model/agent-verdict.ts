import type { BadgeLoss, BadgeRole } from './badge.ts'
import { type CountedResult, complianceStatuses, type LifecycleStage } from './compliance.ts'

/** A badge as everybody may see it. */
export interface ShownBadge {
  role: BadgeRole
  adcp_version: string
  verified_specialisms: string[]
}

/** Every status of an agent that is tested, and that of one whose owner wants no tests. */
export const verdictStatuses = [...complianceStatuses, 'opted_out'] as const

/** Result of an agent’s tests, as everybody may see it (a row of `agent_standings`). */
export interface AgentVerdict {
  agent_url: string
  status: (typeof verdictStatuses)[number]
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

/** Facts about an agent’s badges that only events contain. */
export interface BadgeHistory {
  /** Number of requalifications; a badge of an earlier one is void. */
  generation: number
  /** Why each badge was lost last, by its role and version. */
  losses: Readonly<Record<string, BadgeLoss | null>>
}
