import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const clock = testClock('2026-11-20T00:00Z')
const agent = openForAll(() => startReferenceAgent(clock))
let keys = 0
let plans = 0

const keyed = (args: object) => ({ idempotency_key: `key-of-this-test-${++keys}`, ...args })

/** Registers a plan of 10,000 USD for December. */
async function register(more: object = {}): Promise<string> {
  const plan_id = `plan-${++plans}`
  const plan = {
    plan_id,
    brand: account.brand,
    objectives: 'Sell lamps',
    budget: { total: 10_000, currency: 'USD', reallocation_unlimited: true },
    flight: { start: '2026-12-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
    countries: ['US'],
    ...more,
  }
  const answer = await agent.succeed('governance', 'sync_plans', keyed({ plans: [plan] }))
  expect(listSchemaFaults('governance/sync-plans-response.json', answer)).toEqual([])
  return plan_id
}

const order = {
  account,
  brand: account.brand,
  start_time: '2026-12-02T00:00:00Z',
  end_time: '2026-12-20T00:00:00Z',
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 4000 }],
}
const caller = 'https://buyer.example/mcp'

async function check(plan_id: string, payload: object = order, more: object = {}) {
  const args = { plan_id, caller, tool: 'create_media_buy', payload, ...more }
  const answer = await agent.succeed('governance', 'check_governance', args)
  expect(listSchemaFaults('governance/check-governance-response.json', answer)).toEqual([])
  return answer
}

describe('a purchase is', () => {
  test('approved within its plan, with a token that can be verified through the JWKS', async () => {
    const { status, governance_context, check_id } = await check(await register())
    expect(status).toBe('approved')
    const { keys: published } = (await agent.app.inject('/.well-known/jwks.json')).json()
    const { kid, typ } = decodeProtectedHeader(governance_context)
    expect(typ).toBe('adcp-gov+jws')
    const jwk = published.find((one: Payload) => one.kid === kid)
    expect(jwk).toMatchObject({ adcp_use: 'governance-signing', key_ops: ['verify'] })
    expect(jwk).not.toHaveProperty('d')
    const { payload } = await jwtVerify(governance_context, await importJWK(jwk, 'EdDSA'), {
      currentDate: new Date(clock.now()),
      issuer: 'https://agent.example/governance/mcp',
    })
    expect(payload).toMatchObject({ jti: check_id, amount: 4000, currency: 'USD', caller })
  })

  test.each([
    ['beyond its budget', { packages: [{ budget: 6000 }, { budget: 6000 }] }, 'budget_authority'],
    ['beyond its flight', { end_time: '2027-02-01T00:00:00Z' }, 'flight'],
    ['of another brand', { brand: { domain: 'other.example' } }, 'brand'],
    [
      'in another country',
      { packages: [{ budget: 1, targeting_overlay: { geo_countries: ['FR'] } }] },
      'geo',
    ],
  ])('denied %s', async (_what, more, category) => {
    const answer = await check(await register(), { ...order, ...more })
    expect(answer).toMatchObject({ status: 'denied', findings: [{ category_id: category }] })
    expect(answer).not.toHaveProperty('governance_context')
  })

  test('approved with conditions where a person or a policy must be consulted', async () => {
    const plan_id = await register({
      budget: { total: 10_000, currency: 'USD', reallocation_threshold: 1000 },
      custom_policies: [{ policy_id: 'weekly', policy: 'Report weekly', enforcement: 'must' }],
    })
    const { status, conditions, governance_context } = await check(plan_id)
    expect(status).toBe('conditions')
    expect(conditions.map((one: Payload) => one.field)).toEqual(['human_approval', 'weekly'])
    expect(governance_context.split('.')).toHaveLength(3)
  })

  test('not checked against a plan that does not exist', async () => {
    const args = { plan_id: 'none', caller }
    expect(await agent.fail('governance', 'check_governance', args)).toEqual({
      code: 'PLAN_NOT_FOUND',
      field: 'plan_id',
    })
  })
})

test('delivery is checked against the amount spent', async () => {
  const plan_id = await register()
  const metrics = (more: object) => ({
    phase: 'delivery',
    delivery_metrics: {
      reporting_period: { start: '2026-12-01T00:00:00Z', end: '2026-12-02T00:00:00Z' },
      ...more,
    },
  })
  const overPace = await check(plan_id, {}, metrics({ cumulative_spend: 9000, pacing: 'ahead' }))
  expect(overPace).toMatchObject({ status: 'approved', findings: [{ severity: 'warning' }] })
  const over = await check(plan_id, {}, metrics({ cumulative_spend: 11_000 }))
  expect(over).toMatchObject({ status: 'denied', findings: [{ severity: 'critical' }] })
})

describe('a seller', () => {
  const buy = (more: object) =>
    agent.call('sales', 'create_media_buy', keyed({ ...order, ...more }))

  test('sells an approved purchase', async () => {
    const { governance_context } = await check(await register())
    expect((await buy({ governance_context })).isError).toBe(false)
    expect((await buy({ governance_context: 'a token of another agent' })).isError).toBe(false)
  })

  test('refuses a purchase that the plan forbids or the token does not cover, and sells nothing', async () => {
    const plan_id = await register()
    const { governance_context } = await check(plan_id)
    const more = [{ ...order.packages[0], budget: 4001 }]
    const [head, body, signature] = governance_context.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, amount: 1e6 })).toString('base64url')
    for (const args of [
      { plan_id, packages: [{ ...order.packages[0], budget: 20_000 }] },
      { governance_context, packages: more },
      { governance_context: `${head}.${forged}.${signature}` },
      { governance_context, plan_id: await register() },
    ]) {
      const { isError, payload } = await buy(args)
      expect([isError, payload.code]).toEqual([true, 'GOVERNANCE_DENIED'])
    }
    clock.tick({ days: 1, ms: 1 })
    expect((await buy({ governance_context })).payload.code).toBe('GOVERNANCE_DENIED')
    clock.tick({ days: -1, ms: -1 })
  })
})

test('the audit log shows who was allowed what, and the outcome', async () => {
  const plan_id = await register()
  const { governance_context } = await check(plan_id)
  await check(plan_id, { packages: [{ budget: 20_000 }] })
  const outcome = await agent.succeed(
    'governance',
    'report_plan_outcome',
    keyed({
      plan_id,
      governance_context,
      outcome: 'completed',
      seller_response: { seller_reference: 'mb_1', committed_budget: 4000 },
    }),
  )
  expect(listSchemaFaults('governance/report-plan-outcome-response.json', outcome)).toEqual([])
  expect(outcome.plan_summary).toEqual({ total_committed: 4000, budget_remaining: 6000 })
  const audit = await agent.succeed('governance', 'get_plan_audit_logs', { plan_ids: [plan_id] })
  expect(listSchemaFaults('governance/get-plan-audit-logs-response.json', audit)).toEqual([])
  expect(audit.plans[0]).toMatchObject({
    budget: { authorized: 10_000, committed: 4000, remaining: 6000, utilization_pct: 40 },
    summary: { checks_performed: 2, outcomes_reported: 1, statuses: { approved: 1, denied: 1 } },
    governed_actions: [{ governance_context, committed: 4000, seller_reference: 'mb_1' }],
  })
  expect(audit.entries.map((one: Payload) => [one.actor, one.action])).toEqual([
    [caller, 'check_approved'],
    [caller, 'check_denied'],
    ['buyer', 'outcome_completed'],
  ])
  const byToken = { governance_contexts: [governance_context] }
  const found = await agent.succeed('governance', 'get_plan_audit_logs', byToken)
  expect(found.plans[0].entries).toHaveLength(2)
  expect((await check(plan_id, { total_budget: 6001 })).status).toBe('denied')
})

test('a changed plan gets a new version', async () => {
  const sync = async (objectives: string) => {
    const plan = {
      plan_id: 'changing',
      brand: account.brand,
      objectives,
      budget: { total: 1, currency: 'USD', reallocation_unlimited: true },
      flight: { start: '2026-12-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
    }
    const answer = await agent.succeed('governance', 'sync_plans', keyed({ plans: [plan] }))
    return answer.plans[0].version
  }
  expect([await sync('a'), await sync('a'), await sync('b')]).toEqual([1, 1, 2])
})
