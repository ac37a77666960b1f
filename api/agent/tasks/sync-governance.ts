import { z } from 'zod'
import { AccountRef, resolveAccount } from '../accounts.ts'
import { buildErrorBody, TaskError } from '../errors.ts'
import { saveGovernanceAgents } from '../governance/governance-agents.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Binding = z.looseObject({
  account: AccountRef,
  governance_agents: z
    .array(
      z.looseObject({
        url: z.url({ protocol: /^https?$/ }).max(2000),
        categories: z.array(z.string().max(64)).max(20).optional(),
      }),
    )
    .max(20)
    .describe('Governance agents of the account; they replace earlier ones'),
})

const Input = z.object({
  accounts: z.array(Binding).min(1).max(100).describe('Accounts and their governance agents'),
})

export const syncGovernance = defineTask({
  name: 'sync_governance',
  title: 'Bind accounts to governance agents',
  description:
    'Binds accounts to governance agents. Purchases that violate a plan stored here are refused',
  input: Input,
  mutates: true,
  run({ accounts }, context) {
    return { accounts: accounts.map(binding => bindAccount(binding, context)), sandbox: true }
  },
})

/** Binds an account, or returns why not: a failure is a result like the others. */
function bindAccount(
  { account, governance_agents }: z.infer<typeof Binding>,
  context: TaskContext,
): Record<string, unknown> {
  try {
    const { account_id } = resolveAccount(account, context)
    const agents = governance_agents.map(({ url, categories }) => ({
      url,
      ...(categories && { categories }),
    }))
    saveGovernanceAgents(account_id, agents, context)
    return { account, status: 'synced', governance_agents: agents }
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    return { account, status: 'failed', errors: [buildErrorBody(error)] }
  }
}
