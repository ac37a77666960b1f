import type { Tier, Visibility } from '../core/tiers.ts'
import { hasApiAccess } from '../core/tiers.ts'

/** An organization's enrolment of an agent. */
export interface AgentEnrolment {
  org_id: string
  visibility: Visibility
  tier: Tier | null
  enrolled_at: string
  /** The organization has proven the domain that the agent is on. */
  isOnOwnDomain: boolean
}

/**
 * Chooses the organization that answers for an agent, where several enrolled it: the one that has
 * proven the agent's domain, else the one that enrolled it first.
 */
export function chooseKeeper<Enrolment extends AgentEnrolment>(
  enrolments: readonly Enrolment[],
): Enrolment | undefined {
  const [first] = [...enrolments].sort(
    (a, b) =>
      Number(b.isOnOwnDomain) - Number(a.isOnOwnDomain) ||
      Date.parse(a.enrolled_at) - Date.parse(b.enrolled_at) ||
      (a.org_id < b.org_id ? -1 : 1),
  )
  return first
}

/** Tells whether an agent is shown to everybody by an organization that may do so. */
export function isShownToAll(keeper: AgentEnrolment | undefined): boolean {
  return keeper?.visibility === 'public' && hasApiAccess(keeper.tier)
}

/** Tells whether the host of an address is a domain or below it. */
export function isOnDomain(agentUrl: string, domain: string): boolean {
  const { hostname } = new URL(agentUrl)
  return hostname === domain || hostname.endsWith(`.${domain}`)
}
