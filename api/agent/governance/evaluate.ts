import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Condition, Finding, Plan } from './plan.ts'

const Amount = z.union([z.number(), z.looseObject({ amount: z.number() })])

/** The parts of a purchase that a plan can limit; everything else is ignored. */
const Purchase = z.looseObject({
  total_budget: Amount.optional().catch(undefined),
  start_time: z.string().optional().catch(undefined),
  end_time: z.string().optional().catch(undefined),
  brand: z.looseObject({ domain: z.string() }).optional().catch(undefined),
  channels: z.array(z.string()).optional().catch(undefined),
  geo: z
    .looseObject({ countries: z.array(z.string()) })
    .optional()
    .catch(undefined),
  packages: z
    .array(
      z.looseObject({
        budget: z.number().optional().catch(undefined),
        targeting_overlay: z
          .looseObject({ geo_countries: z.array(z.string()).optional().catch(undefined) })
          .optional()
          .catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
})

/** Delivery as a seller reports it in a check. */
export interface DeliveryMetrics {
  cumulative_spend?: number | undefined
  spend?: number | undefined
  pacing?: 'ahead' | 'on_track' | 'behind' | undefined
}

/** A purchase to be judged, or its delivery. */
export interface GovernedAction {
  purchase: Record<string, unknown>
  metrics?: DeliveryMetrics | undefined
}

export interface Judgement {
  status: 'approved' | 'denied' | 'conditions'
  explanation: string
  findings: Finding[]
  conditions: Condition[]
  /** The amount at stake. */
  amount: number | undefined
}

/**
 * Judges an action by a plan. A violation of a limit is critical and denies it; if a person or a policy
 * must be consulted, it is approved with conditions.
 */
export function checkAction(plan: Plan, action: GovernedAction, now: Instant): Judgement {
  const purchase = Purchase.parse(action.purchase)
  const amount = sumAmount(purchase)
  const findings = [
    ...checkBudget(plan, amount),
    ...checkFlight(plan, purchase, now),
    ...checkBrand(plan, purchase),
    ...checkReach(plan, purchase),
    ...checkDelivery(plan, action.metrics),
  ]
  const isDenied = findings.some(({ severity }) => severity === 'critical')
  const conditions = isDenied ? [] : listConditions(plan, amount)
  const status = isDenied ? 'denied' : conditions.length > 0 ? 'conditions' : 'approved'
  return { status, explanation: explain(status, findings), findings, conditions, amount }
}

type Purchase = z.infer<typeof Purchase>

function sumAmount({ total_budget, packages }: Purchase): number | undefined {
  if (typeof total_budget === 'number') return total_budget
  if (total_budget) return total_budget.amount
  return packages?.reduce((sum, { budget = 0 }) => sum + budget, 0)
}

function checkBudget({ request, committed }: Plan, amount: number | undefined): Finding[] {
  const { total, currency } = request.budget
  const left = total - committed
  if (amount === undefined || amount <= left) return []
  const explanation = `${amount} ${currency} is more than the ${left} ${currency} left in the plan`
  return [{ category_id: 'budget_authority', severity: 'critical', explanation }]
}

function checkFlight({ request }: Plan, purchase: Purchase, now: Instant): Finding[] {
  const start = purchase.start_time === 'asap' ? now : Date.parse(purchase.start_time ?? '')
  const end = Date.parse(purchase.end_time ?? '')
  const isEarly = start < Date.parse(request.flight.start)
  const isLate = end > Date.parse(request.flight.end)
  if (!isEarly && !isLate) return []
  const explanation = `It runs ${isEarly ? 'before' : 'after'} the flight of the plan`
  return [{ category_id: 'flight', severity: 'critical', explanation }]
}

function checkBrand({ request }: Plan, { brand }: Purchase): Finding[] {
  if (!brand || brand.domain === request.brand.domain) return []
  const explanation = `The plan belongs to ${request.brand.domain}, not to ${brand.domain}`
  return [{ category_id: 'brand', severity: 'critical', explanation }]
}

function checkReach({ request }: Plan, { packages = [], geo, channels = [] }: Purchase): Finding[] {
  const named = [
    ...(geo?.countries ?? []),
    ...packages.flatMap(({ targeting_overlay }) => targeting_overlay?.geo_countries ?? []),
  ]
  const { countries, channels: wanted } = request
  const abroad = named.filter(code => countries && !countries.includes(code))
  const others = channels.filter(channel => wanted?.allowed && !wanted.allowed.includes(channel))
  const finding = (category_id: string, what: string[]): Finding[] =>
    what.length === 0
      ? []
      : [{ category_id, severity: 'critical', explanation: `The plan excludes ${what.join(', ')}` }]
  return [...finding('geo', [...new Set(abroad)]), ...finding('channels', [...new Set(others)])]
}

function checkDelivery({ request }: Plan, metrics: DeliveryMetrics | undefined): Finding[] {
  if (!metrics) return []
  const { total, currency } = request.budget
  const spent = metrics.cumulative_spend ?? metrics.spend ?? 0
  if (spent > total) {
    const explanation = `${spent} ${currency} is spent, and the plan has ${total}`
    return [{ category_id: 'budget_authority', severity: 'critical', explanation }]
  }
  if (metrics.pacing === undefined || metrics.pacing === 'on_track') return []
  const explanation = `Delivery is ${metrics.pacing} of the plan`
  return [{ category_id: 'pacing', severity: 'warning', explanation }]
}

function listConditions({ request }: Plan, amount: number | undefined): Condition[] {
  const { reallocation_threshold: threshold, reallocation_unlimited, currency } = request.budget
  const isLarge =
    amount !== undefined && !reallocation_unlimited && threshold !== undefined && amount > threshold
  const needsPerson = isLarge || request.human_review_required === true
  const reason = isLarge
    ? `More than ${threshold} ${currency} at once needs a person's approval`
    : 'The plan requires a person’s approval of each purchase'
  const policies = (request.custom_policies ?? []).filter(policy => policy.enforcement === 'must')
  return [
    ...(needsPerson ? [{ field: 'human_approval', required_value: true, reason }] : []),
    ...policies.map(({ policy_id, policy }) => ({ field: policy_id, reason: policy ?? policy_id })),
  ]
}

function explain(status: Judgement['status'], findings: Finding[]): string {
  if (status === 'approved') return 'It is within the plan'
  if (status === 'conditions') return 'It is within the plan if the conditions are met'
  return findings
    .filter(({ severity }) => severity === 'critical')
    .map(({ explanation }) => explanation)
    .join('. ')
}
