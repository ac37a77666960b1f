import type { AgentVerdict, BadgeHistory, ShownBadge } from '../model/agent-verdict.ts'
import type { EventDraft } from '../model/event.ts'
import { toBadgeKey } from '../resolve/badges.ts'

/** Actor of events that tests of agents cause. */
const ACTOR = 'pipeline:compliance-heartbeat'

/**
 * Lists the events of an agent whose verdict changed: one for its status, and one for each badge that it
 * earned or lost. Without a verdict its status is `unknown` and it has no badge.
 */
export function listVerdictEvents(
  agent_url: string,
  before: AgentVerdict | undefined,
  after: AgentVerdict | undefined,
  history: BadgeHistory,
): EventDraft[] {
  const draft = (event_type: EventDraft['event_type'], payload: object): EventDraft => ({
    event_type,
    entity_id: agent_url,
    payload: { agent_url, ...payload },
    actor: ACTOR,
  })
  const badge_requalification_generation = String(history.generation)
  const [had, has] = [before?.badges ?? [], after?.badges ?? []]
  const lost = subtract(had, has).map(({ role, adcp_version }) =>
    draft('agent.verification_lost', {
      role,
      adcp_version,
      reason: (after && history.losses[toBadgeKey({ role, adcp_version })]) ?? 'not_public',
      badge_requalification_generation,
    }),
  )
  const earned = subtract(has, had).map(badge =>
    draft('agent.verification_earned', { ...badge, badge_requalification_generation }),
  )
  const [previous_status, current_status] = [toStatus(before), toStatus(after)]
  const changed =
    previous_status === current_status
      ? []
      : [
          draft('agent.compliance_changed', {
            previous_status,
            current_status,
            ...describeVerdict(after),
          }),
        ]
  return [...changed, ...earned, ...lost]
}

function toStatus(verdict: AgentVerdict | undefined): AgentVerdict['status'] {
  return verdict?.status ?? 'unknown'
}

function subtract(badges: readonly ShownBadge[], others: readonly ShownBadge[]): ShownBadge[] {
  const known = new Set(others.map(toBadgeKey))
  return badges.filter(badge => !known.has(toBadgeKey(badge)))
}

function describeVerdict(verdict: AgentVerdict | undefined): object {
  const summary = toComplianceSummary(verdict)
  return {
    headline: verdict?.headline ?? null,
    tracks: verdict?.tracks ?? {},
    storyboards_passing: verdict?.storyboards_passing ?? 0,
    storyboards_total: verdict?.storyboards_total ?? 0,
    storyboards: (verdict?.storyboards ?? []).map(
      ({ storyboard_id, status, steps_passed, steps_total }) => ({
        storyboard_id,
        status,
        steps_passed,
        steps_total,
      }),
    ),
    compliance_summary: summary,
  }
}

/** Builds the compliance summary of an agent, which events and search contain. */
export function toComplianceSummary(verdict: AgentVerdict | undefined): object {
  if (verdict?.status === 'opted_out') return { status: 'opted_out' }
  return {
    status: verdict?.status ?? 'unknown',
    lifecycle_stage: verdict?.lifecycle_stage ?? 'production',
    tracks: verdict?.tracks ?? {},
    streak_days: verdict?.streak_days ?? 0,
    last_checked_at: verdict?.last_checked_at ?? null,
    headline: verdict?.headline ?? null,
  }
}
