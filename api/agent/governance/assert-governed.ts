import { toLooseAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import { type Instant, toIso } from '../../../pipeline/core/clock.ts'
import type { Account } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { readApproval } from './approval.ts'
import { checkAction } from './evaluate.ts'
import { listGovernanceAgents } from './governance-agents.ts'
import { findPlan, GOVERNANCE, listPlans, type Plan } from './plan.ts'

interface GovernedPurchase {
  plan_id?: string | undefined
  governance_context?: string | undefined
  brand: { domain: string }
  start_time: Instant | 'asap'
  end_time: Instant
  packages?: readonly { budget: number }[] | undefined
  /** Spending on a proposal, which does not list packages. */
  total_budget?: { amount: number } | undefined
}

/**
 * Throws if a purchase breaks its plan, or exceeds its approval. Plans and approvals of other governance
 * agents are not judged here.
 */
export function assertGoverned(
  purchase: GovernedPurchase,
  account: Account,
  context: TaskContext,
): void {
  const { plan_id, governance_context: token, packages, total_budget } = purchase
  const amount = packages?.reduce((sum, { budget }) => sum + budget, 0) ?? total_budget?.amount ?? 0
  const read = token === undefined ? undefined : readApproval(token, context)
  if (read && 'refused' in read) deny(`governance_context: ${read.refused}`)
  if (read && 'approval' in read) {
    const { sub, amount: limit } = read.approval
    if (plan_id !== undefined && sub !== plan_id)
      deny('governance_context: belongs to another plan')
    if (limit !== undefined && amount > limit)
      deny(`governance_context: approves ${limit}, not ${amount}`)
  }
  const named = plan_id ?? (read && 'approval' in read ? read.approval.sub : undefined)
  const plan = named === undefined ? findBoundPlan(account, context) : findPlan(named, context)
  if (!plan) return
  const { brand, start_time, end_time } = purchase
  const action = {
    brand,
    total_budget: amount,
    start_time: start_time === 'asap' ? start_time : toIso(start_time),
    end_time: toIso(end_time),
  }
  const { status, explanation } = checkAction(plan, { purchase: action }, context.now)
  if (status === 'denied') deny(explanation)
}

/**
 * Finds the plan of an account's brand, if the account is bound to our own governance agent: the one that
 * was registered last, since the purchase names none.
 */
function findBoundPlan(account: Account, context: TaskContext): Plan | undefined {
  const own = toLooseAgentUrlKey(context.toAddress(GOVERNANCE))
  const agents = listGovernanceAgents(account.account_id, context)
  if (!agents.some(({ url }) => toLooseAgentUrlKey(url) === own)) return undefined
  return listPlans(context)
    .filter(({ request }) => request.brand.domain === account.brand.domain)
    .sort((one, other) => other.syncedAt - one.syncedAt)[0]
}

function deny(message: string): never {
  throw new TaskError('GOVERNANCE_DENIED', message, { field: 'governance_context' })
}
