import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { CallersId } from '../accounts.ts'
import { addAuditEntry, type Finding, resolvePlan, savePlan } from '../governance/plan.ts'
import { defineTask } from '../task.ts'

const Input = z.object({
  plan_id: CallersId,
  check_id: CallersId.optional(),
  purchase_type: z.string().max(100).default('media_buy'),
  outcome: z.enum(['completed', 'failed', 'delivery']),
  governance_context: z.string().max(4096).describe('The token of the check'),
  seller_response: z
    .looseObject({
      seller_reference: z.string().max(500).optional(),
      committed_budget: z.number().min(0).optional(),
    })
    .optional()
    .describe('What the seller agreed to'),
})

export const reportPlanOutcome = defineTask({
  name: 'report_plan_outcome',
  title: 'Report an outcome',
  description: 'Reports the outcome of a checked purchase and commits its budget',
  input: Input,
  mutates: true,
  run({ plan_id, purchase_type, outcome, governance_context, seller_response = {} }, context) {
    const plan = resolvePlan(plan_id, context)
    const { seller_reference, committed_budget = 0 } = seller_response
    const added = outcome === 'completed' ? committed_budget : 0
    const next = { ...plan, committed: plan.committed + added }
    savePlan(next, context)
    const left = next.request.budget.total - next.committed
    const findings: Finding[] =
      left >= 0
        ? []
        : [
            {
              category_id: 'budget_authority',
              severity: 'critical',
              explanation: `The plan is exceeded by ${-left} ${next.request.budget.currency}`,
            },
          ]
    const outcome_id = randomUUID()
    addAuditEntry(
      {
        id: outcome_id,
        type: 'outcome',
        plan_id,
        purchase_type,
        outcome,
        committed_budget: added,
        findings,
        governance_context,
        ...(seller_reference !== undefined && { seller_reference }),
      },
      next,
      context,
    )
    return {
      outcome_id,
      status: findings.length > 0 ? 'findings' : 'accepted',
      committed_budget: added,
      findings,
      plan_summary: { total_committed: next.committed, budget_remaining: left },
    }
  },
})
