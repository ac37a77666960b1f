import type { EventDraft } from '../model/event.ts'
import type { AgentVerdict, BadgeHistory, ShownBadge } from '../model/standing.ts'

/** Name under which tests of agents cause events. */
const ACTOR = 'pipeline:compliance-heartbeat'

/**
 * Lists the events of an agent whose standing changed: one for its status, one for each badge that it
 * earned or lost. An agent that is shown to nobody is unknown and has no badge.
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
      reason: (after && history.losses[role]) ?? 'not_public',
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

function toStatus(standing: AgentVerdict | undefined): AgentVerdict['status'] {
  return standing?.status ?? 'unknown'
}

function subtract(badges: readonly ShownBadge[], others: readonly ShownBadge[]): ShownBadge[] {
  const toKey = ({ role, adcp_version }: ShownBadge) => `${role} ${adcp_version}`
  const known = new Set(others.map(toKey))
  return badges.filter(badge => !known.has(toKey(badge)))
}

function describeVerdict(standing: AgentVerdict | undefined): object {
  const summary = toComplianceSummary(standing)
  return {
    headline: standing?.headline ?? null,
    tracks: standing?.tracks ?? {},
    storyboards_passing: standing?.storyboards_passing ?? 0,
    storyboards_total: standing?.storyboards_total ?? 0,
    storyboards: (standing?.storyboards ?? []).map(
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

/** Builds the summary that replicas keep of an agent. */
export function toComplianceSummary(standing: AgentVerdict | undefined): object {
  if (standing?.status === 'opted_out') return { status: 'opted_out' }
  return {
    status: standing?.status ?? 'unknown',
    lifecycle_stage: standing?.lifecycle_stage ?? 'production',
    tracks: standing?.tracks ?? {},
    streak_days: standing?.streak_days ?? 0,
    last_checked_at: standing?.last_checked_at ?? null,
    headline: standing?.headline ?? null,
  }
}
