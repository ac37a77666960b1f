import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    activation: Activation
  }
}

/** A signal at a destination, in the form of the answer. */
export interface Deployment {
  type: 'platform' | 'agent'
  platform?: string
  agent_url?: string
  account?: string
  is_live: boolean
  activation_key?: Record<string, string>
  deployed_at?: string
}

export interface Activation {
  signalId: string
  deployment: Deployment
}

/** Stands for the account of callers who name none. */
export const ANY_ACCOUNT = 'any'

export function toActivationScope({ tenant }: TaskContext, accountId: string): string {
  return `${tenant} ${accountId}`
}

/** Lists the destinations where signals are live for an account, by signal. */
export function listDeployments(
  context: TaskContext,
  accountId: string = ANY_ACCOUNT,
): Map<string, Deployment[]> {
  const bySignal = new Map<string, Deployment[]>()
  for (const activation of context.state.list(
    'activation',
    toActivationScope(context, accountId),
  )) {
    bySignal.set(activation.signalId, [
      ...(bySignal.get(activation.signalId) ?? []),
      activation.deployment,
    ])
  }
  return bySignal
}
