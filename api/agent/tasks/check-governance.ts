import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DAY, SECOND, toIso } from '../../../pipeline/core/clock.ts'
import { CallersId } from '../accounts.ts'
import { signApproval, toIssuer } from '../governance/approval.ts'
import { checkAction, type Judgement } from '../governance/evaluate.ts'
import { addAuditEntry, type Plan, resolvePlan } from '../governance/plan.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

/** Time for which an approval can be used. */
const APPROVAL_MS = DAY

const Metrics = z
  .looseObject({
    spend: z.number().min(0).optional(),
    cumulative_spend: z.number().min(0).optional(),
    pacing: z.enum(['ahead', 'on_track', 'behind']).optional(),
  })
  .describe('Delivery until now, during the delivery phase')

const Input = z.object({
  plan_id: CallersId,
  caller: z.url().max(2000).describe('URL of the requesting agent'),
  tool: z.string().max(200).optional().describe('The task to call'),
  payload: z.looseObject({}).optional().describe('Its arguments'),
  purchase_type: z
    .enum(['media_buy', 'rights_license', 'signal_activation', 'creative_services'])
    .default('media_buy'),
  phase: z.enum(['purchase', 'modification', 'delivery']).default('purchase'),
  governance_context: z.string().max(4096).optional().describe('The token of an earlier check'),
  planned_delivery: z.looseObject({}).optional().describe('What the seller will deliver'),
  delivery_metrics: Metrics.optional(),
})

type Request = z.output<typeof Input>

export const checkGovernance = defineTask({
  name: 'check_governance',
  title: 'Check a purchase',
  description:
    'Checks whether a plan allows a purchase, and signs an approval that sellers can verify',
  input: Input,
  run(request, context) {
    return context.state.transact(context.now, () => {
      const plan = resolvePlan(request.plan_id, context)
      const purchase = { ...request.planned_delivery, ...request.payload }
      const metrics = request.delivery_metrics
      const judgement = checkAction(plan, { purchase, metrics }, context.now)
      return answer(request, plan, judgement, context)
    })
  },
})

function answer(request: Request, plan: Plan, judgement: Judgement, context: TaskContext) {
  const check_id = randomUUID()
  const { status, explanation, findings, conditions } = judgement
  const token =
    status === 'denied'
      ? request.governance_context
      : issueApproval(check_id, request, plan, judgement, context)
  const { plan_id, caller, tool, purchase_type } = request
  addAuditEntry(
    {
      id: check_id,
      type: 'check',
      plan_id,
      caller,
      ...(tool !== undefined && { tool }),
      purchase_type,
      status,
      explanation,
      findings,
      conditions,
      ...(token !== undefined && { governance_context: token }),
    },
    plan,
    context,
  )
  return {
    check_id,
    status,
    verdict: status,
    plan_id,
    explanation,
    findings,
    conditions,
    mode: 'enforce',
    expires_at: toIso(context.now + APPROVAL_MS),
    policies_evaluated: (plan.request.custom_policies ?? []).map(({ policy_id }) => policy_id),
    ...(token !== undefined && { governance_context: token }),
  }
}

function issueApproval(
  check_id: string,
  { plan_id, caller, tool }: Request,
  { request }: Plan,
  { status, amount }: Judgement,
  context: TaskContext,
): string {
  const seconds = Math.floor(context.now / SECOND)
  return signApproval(
    {
      iss: toIssuer(context),
      sub: plan_id,
      jti: check_id,
      iat: seconds,
      exp: seconds + APPROVAL_MS / SECOND,
      status: status === 'conditions' ? 'conditions' : 'approved',
      ...(tool !== undefined && { tool }),
      caller,
      ...(amount !== undefined && { amount }),
      currency: request.budget.currency,
    },
    context,
  )
}
