import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Governance agents of an account, by tenant. */
    governance_agents: readonly GovernanceAgent[]
  }
}

/** An agent that governs an account's purchases. Its credentials are not stored: it is never called. */
export interface GovernanceAgent {
  url: string
  categories?: readonly string[]
}

export function listGovernanceAgents(
  accountId: string,
  { state, tenant }: TaskContext,
): readonly GovernanceAgent[] {
  return state.get('governance_agents', tenant, accountId) ?? []
}

/** Binds an account to these agents, and to no others. */
export function saveGovernanceAgents(
  accountId: string,
  agents: readonly GovernanceAgent[],
  { state, tenant, now }: TaskContext,
): void {
  state.put('governance_agents', tenant, accountId, agents, { now })
}
