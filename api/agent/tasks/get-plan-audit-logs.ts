import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { CallersId } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import { type AuditEntry, GOVERNANCE, type Plan, resolvePlan } from '../governance/plan.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Input = z.object({
  plan_ids: z.array(CallersId).min(1).max(100).optional(),
  portfolio_plan_ids: z.array(CallersId).min(1).max(100).optional().describe('With their members'),
  governance_contexts: z.array(z.string()).min(1).max(100).optional().describe('Tokens of checks'),
  purchase_types: z.array(z.string()).min(1).optional(),
  include_entries: z.boolean().default(true),
})

type Request = z.output<typeof Input>

export const getPlanAuditLogs = defineTask({
  name: 'get_plan_audit_logs',
  title: 'Read the audit of plans',
  description: 'Lists the checks, decisions and spending under plans, and who made them',
  input: Input,
  run(request, context) {
    const audits = findPlans(request, context).map(plan => ({
      plan,
      entries: listEntries(plan, request, context),
    }))
    return {
      plans: audits.map(({ plan, entries }) => ({
        ...describePlan(plan, entries),
        ...(request.include_entries && { entries: entries.map(describeEntry) }),
      })),
      ...(request.include_entries && {
        entries: audits.flatMap(({ entries }) => entries).map(describePlainly),
      }),
    }
  },
})

function findPlans(request: Request, context: TaskContext): Plan[] {
  const { plan_ids = [], portfolio_plan_ids = [], governance_contexts } = request
  const own = plan_ids.map((id, at) => resolvePlan(id, context, `plan_ids[${at}]`))
  const portfolios = portfolio_plan_ids.flatMap((id, at) => {
    const plan = resolvePlan(id, context, `portfolio_plan_ids[${at}]`)
    const members = plan.request.portfolio?.member_plan_ids ?? []
    return [plan, ...members.map(member => resolvePlan(member, context, 'portfolio_plan_ids'))]
  })
  const wanted = new Set(governance_contexts)
  const named = governance_contexts
    ? context.state
        .list('plan', GOVERNANCE)
        .filter(({ plan_id }) =>
          context.state
            .list('audit', plan_id)
            .some(entry => wanted.has(entry.governance_context ?? '')),
        )
    : []
  const all = [...own, ...portfolios, ...named]
  if (all.length > 0 || governance_contexts) {
    return [...new Map(all.map(plan => [plan.plan_id, plan])).values()]
  }
  throw new TaskError('INVALID_REQUEST', 'plan_ids: say which plans', { field: 'plan_ids' })
}

function listEntries(plan: Plan, request: Request, { state }: TaskContext): AuditEntry[] {
  const { purchase_types: types, governance_contexts } = request
  const isNamed = !!request.plan_ids || !!request.portfolio_plan_ids
  return state
    .list('audit', plan.plan_id)
    .filter(entry => !types || types.includes(entry.purchase_type))
    .filter(
      entry =>
        isNamed ||
        !governance_contexts ||
        governance_contexts.includes(entry.governance_context ?? ''),
    )
}

function describePlan({ plan_id, version, request, committed }: Plan, entries: AuditEntry[]) {
  const { total } = request.budget
  const count = (status: AuditEntry['status']) =>
    entries.filter(entry => entry.status === status).length
  const checks = entries.filter(({ type }) => type === 'check').length
  return {
    plan_id,
    plan_version: version,
    status: 'active',
    budget: {
      authorized: total,
      committed,
      remaining: total - committed,
      utilization_pct: total > 0 ? Math.round((committed / total) * 10_000) / 100 : 0,
    },
    summary: {
      checks_performed: checks,
      outcomes_reported: entries.length - checks,
      statuses: {
        approved: count('approved'),
        denied: count('denied'),
        conditions: count('conditions'),
        human_reviewed: 0,
      },
      findings_count: entries.reduce((sum, { findings = [] }) => sum + findings.length, 0),
    },
    governed_actions: describeActions(entries),
  }
}

/** Describes purchases under a plan: all checks and outcomes with one token are one purchase. */
function describeActions(entries: AuditEntry[]) {
  const byToken = Map.groupBy(
    entries.filter(entry => entry.governance_context !== undefined),
    entry => entry.governance_context,
  )
  return [...byToken].map(([governance_context, all]) => {
    const reference = all.find(entry => entry.seller_reference !== undefined)?.seller_reference
    return {
      governance_context,
      purchase_type: getFirst(all).purchase_type,
      status: all.some(({ outcome }) => outcome === 'completed') ? 'completed' : 'active',
      committed: all.reduce((sum, { committed_budget = 0 }) => sum + committed_budget, 0),
      check_count: all.filter(({ type }) => type === 'check').length,
      ...(reference !== undefined && { seller_reference: reference }),
    }
  })
}

function describeEntry({ at, conditions: _, seller_reference: __, ...entry }: AuditEntry) {
  return { ...entry, timestamp: toIso(at) }
}

/** Describes an entry in the specification's form: who did what, and why. */
function describePlainly(entry: AuditEntry): Record<string, unknown> {
  const { at, type, caller, tool, status, outcome, explanation, conditions = [] } = entry
  return {
    timestamp: toIso(at),
    actor: caller ?? 'buyer',
    action: type === 'check' ? `check_${status}` : `outcome_${outcome}`,
    plan_id: entry.plan_id,
    ...(explanation !== undefined && { reason: explanation }),
    ...(conditions.length > 0 && { conditions }),
    details: {
      ...(tool !== undefined && { tool }),
      ...(entry.committed_budget !== undefined && { committed_budget: entry.committed_budget }),
    },
  }
}
