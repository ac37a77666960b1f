import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import { BrandRef, CallersId } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import { RECORD_LIFETIME_MS } from '../state/store.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    plan: Plan
    /** Checks and outcomes of a plan, by their numbers. */
    audit: AuditEntry
    /** Numbers of the last entries, by plan. */
    audit_count: number
  }
}

const Policy = z.looseObject({
  policy_id: CallersId,
  policy: z.string().max(5000).optional(),
  enforcement: z.enum(['must', 'should', 'may']).default('must'),
})
export type Policy = z.infer<typeof Policy>

/** A plan that a buyer registers: what may be spent, when, where and on what. */
export const PlanRequest = z.looseObject({
  plan_id: CallersId,
  brand: BrandRef,
  objectives: z.string().max(5000),
  budget: z.looseObject({
    total: z.number().min(0),
    currency: z.string().regex(/^[A-Z]{3}$/),
    reallocation_threshold: z.number().min(0).optional(),
    reallocation_unlimited: z.boolean().optional(),
  }),
  flight: z.looseObject({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
  countries: z.array(z.string()).min(1).optional(),
  channels: z
    .looseObject({
      required: z.array(z.string()).optional(),
      allowed: z.array(z.string()).optional(),
    })
    .optional(),
  custom_policies: z.array(Policy).max(100).optional(),
  human_review_required: z.boolean().optional(),
  portfolio: z.looseObject({ member_plan_ids: z.array(CallersId) }).optional(),
})
export type PlanRequest = z.infer<typeof PlanRequest>

/** A stored plan. */
export interface Plan {
  plan_id: string
  version: number
  request: PlanRequest
  /** Spending that was reported as committed. */
  committed: number
  /** Time at which its buyer registered it last. */
  syncedAt: Instant
}

/** One check or outcome in the audit. */
export interface AuditEntry {
  id: string
  type: 'check' | 'outcome'
  at: Instant
  plan_id: string
  /** The agent that requested or reported it. */
  caller?: string
  tool?: string
  purchase_type: string
  status?: 'approved' | 'denied' | 'conditions'
  explanation?: string
  findings?: Finding[]
  conditions?: Condition[]
  outcome?: 'completed' | 'failed' | 'delivery'
  committed_budget?: number
  seller_reference?: string
  governance_context?: string
}

export interface Finding {
  category_id: string
  policy_id?: string
  severity: 'info' | 'warning' | 'critical'
  explanation: string
}

export interface Condition {
  field: string
  required_value?: unknown
  reason: string
}

/** Scope of plans and their audit, which belong to the governance tenant whichever tenant reads them. */
export const GOVERNANCE = 'governance'

/** Stores a plan until a day after its flight. */
export function savePlan(plan: Plan, { state, now }: TaskContext): void {
  const lifetimeMs = Math.max(0, Date.parse(plan.request.flight.end) - now) + RECORD_LIFETIME_MS
  state.put('plan', GOVERNANCE, plan.plan_id, plan, { now, lifetimeMs })
}

export function findPlan(id: string, { state }: TaskContext): Plan | undefined {
  return state.get('plan', GOVERNANCE, id)
}

export function listPlans({ state }: TaskContext): Plan[] {
  return state.list('plan', GOVERNANCE)
}

/** Finds a plan. Throws if there is none. */
export function resolvePlan(id: string, context: TaskContext, field = 'plan_id'): Plan {
  const plan = findPlan(id, context)
  if (plan) return plan
  throw new TaskError('PLAN_NOT_FOUND', `${field}: there is no plan ${id} here`, { field })
}

/** Adds a check or an outcome to the audit. Entries of a plan are listed in the order of their arrival. */
export function addAuditEntry(
  entry: Omit<AuditEntry, 'at'>,
  plan: Plan,
  { state, now }: TaskContext,
): void {
  const lifetimeMs = Math.max(0, Date.parse(plan.request.flight.end) - now) + RECORD_LIFETIME_MS
  const count = (state.get('audit_count', GOVERNANCE, plan.plan_id) ?? 0) + 1
  const at = String(count).padStart(9, '0')
  state.put('audit_count', GOVERNANCE, plan.plan_id, count, { now, lifetimeMs })
  state.put('audit', plan.plan_id, at, { ...entry, at: now }, { now, lifetimeMs })
}
