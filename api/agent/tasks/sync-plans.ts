import { z } from 'zod'
import { findPlan, type Plan, PlanRequest, savePlan } from '../governance/plan.ts'
import { defineTask } from '../task.ts'

const Input = z.object({
  plans: z.array(PlanRequest).min(1).max(100).describe('Plans to register or to change'),
})

export const syncPlans = defineTask({
  name: 'sync_plans',
  title: 'Register plans',
  description: 'Registers the spending limits of a brand. Purchases are checked against them',
  input: Input,
  mutates: true,
  run({ plans }, context) {
    const results = plans.map(request => {
      const known = findPlan(request.plan_id, context)
      const isSame = known && JSON.stringify(known.request) === JSON.stringify(request)
      const plan: Plan = {
        plan_id: request.plan_id,
        version: known ? known.version + (isSame ? 0 : 1) : 1,
        request,
        committed: known?.committed ?? 0,
        syncedAt: context.now,
      }
      savePlan(plan, context)
      return {
        plan_id: plan.plan_id,
        status: 'active',
        version: plan.version,
        resolved_policies: (request.custom_policies ?? []).map(({ policy_id, enforcement }) => ({
          policy_id,
          source: 'explicit',
          enforcement,
        })),
      }
    })
    return { plans: results, sandbox: true }
  },
})
