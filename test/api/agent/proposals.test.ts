import { describe, expect, test } from 'vitest'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForEach } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const brief = 'Video and display about sports, Q2'
const proposal_id = 'balanced_reach_q2'

const agent = openForEach(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))
let keys = 0

const find = (args: object) => agent.succeed('sales', 'get_products', { account, ...args })
const refine = (wish: object) =>
  find({ buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id, ...wish }] })
const order = (args: object = {}) => ({
  idempotency_key: `key-of-a-proposal-${++keys}`,
  account,
  brand: account.brand,
  start_time: '2026-12-01T00:00:00Z',
  end_time: '2026-12-31T00:00:00Z',
  proposal_id,
  total_budget: { amount: 10_000, currency: 'USD' },
  ...args,
})

const listShares = ({ proposals }: Payload): Record<string, number> =>
  Object.fromEntries(
    proposals[0].allocations.map((one: Payload) => [one.product_id, one.allocation_percentage]),
  )
const sum = (shares: Record<string, number>) => Object.values(shares).reduce((a, b) => a + b, 0)

describe('a proposal', () => {
  test('spreads the whole budget over products of the same answer', async () => {
    const answer = await find({ brief })
    expect(listSchemaFaults('media-buy/get-products-response.json', answer)).toEqual([])
    const shares = listShares(answer)
    expect(sum(shares)).toBe(100)
    const ids = answer.products.map((one: Payload) => one.product_id)
    expect(ids).toEqual(expect.arrayContaining(Object.keys(shares)))
  })

  test('moves a share to a channel, and leaves out what is dropped', async () => {
    await find({ brief })
    const answer = await refine({ ask: 'Shift 60% of budget to CTV. Drop the display product.' })
    expect(listSchemaFaults('media-buy/get-products-response.json', answer)).toEqual([])
    const shares = listShares(answer)
    expect(shares.summit_sports_ctv_reserved).toBeGreaterThanOrEqual(60)
    expect(sum(shares)).toBe(100)
    expect(Object.keys(shares).filter(id => id.includes('display'))).toEqual([])
    expect(answer.refinement_applied).toMatchObject([{ proposal_id, status: 'applied' }])
  })

  test('is unchanged by a refinement that is not understood, and says so', async () => {
    const before = listShares(await find({ brief }))
    const answer = await refine({ ask: 'Make it nicer' })
    expect(answer.refinement_applied).toMatchObject([{ status: 'unable' }])
    expect(listShares(answer)).toEqual(before)
  })

  test('is bought with a budget, package by package', async () => {
    const shares = listShares(await find({ brief }))
    const bought = await agent.succeed('sales', 'create_media_buy', order())
    expect(bought.total_budget).toBe(10_000)
    expect(
      bought.packages.map(({ product_id, budget }: Payload) => [product_id, budget / 100]),
    ).toEqual(Object.entries(shares))
  })

  test('holds for a week once it is final, and not longer', async () => {
    await find({ brief })
    const { proposals } = await refine({ action: 'finalize' })
    expect(proposals).toMatchObject([
      { proposal_status: 'committed', expires_at: '2026-11-27T00:00:00.000Z' },
    ])
    agent.clock.tick({ days: 6 })
    await refine({ action: 'include' })
    await agent.succeed('sales', 'create_media_buy', order())
  })

  test('of another account, or an unknown one, cannot be bought', async () => {
    await find({ brief })
    const other = { brand: { domain: 'other.example' }, operator: 'agency.example' }
    const field = 'proposal_id'
    for (const args of [{ account: other }, { proposal_id: 'nothing' }]) {
      const failure = await agent.fail('sales', 'create_media_buy', order(args))
      expect(failure).toEqual({ code: 'REFERENCE_NOT_FOUND', field })
    }
  })

  test('is bought only in its own currency and with a budget', async () => {
    await find({ brief })
    const euros = { total_budget: { amount: 5, currency: 'EUR' } }
    expect(await agent.fail('sales', 'create_media_buy', order(euros))).toMatchObject({
      field: 'total_budget.currency',
    })
    expect(
      await agent.fail('sales', 'create_media_buy', order({ total_budget: undefined })),
    ).toMatchObject({ field: 'total_budget' })
  })
})

describe('an account that is bound to our governance agent', () => {
  const plan = {
    plan_id: 'small',
    brand: account.brand,
    objectives: 'A small campaign',
    budget: { total: 1000, currency: 'USD' },
    flight: { start: '2026-11-01T00:00:00Z', end: '2027-01-31T00:00:00Z' },
  }
  const bind = (url: string) =>
    agent.succeed('sales', 'sync_governance', {
      idempotency_key: `key-of-a-binding-${++keys}`,
      accounts: [{ account, governance_agents: [{ url, categories: ['budget_authority'] }] }],
    })
  const purchase = (budget: number) =>
    order({
      packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget }],
      proposal_id: undefined,
      total_budget: undefined,
    })

  test('is sold nothing that breaks the plan of its brand that was registered last', async () => {
    const idempotency_key = 'key-of-a-small-plan'
    await agent.succeed('governance', 'sync_plans', { idempotency_key, plans: [plan] })
    await agent.succeed('sales', 'create_media_buy', purchase(5000))
    const bound = await bind('https://agent.example/governance/mcp')
    expect(listSchemaFaults('account/sync-governance-response.json', bound)).toEqual([])
    expect((await agent.fail('sales', 'create_media_buy', purchase(5000))).code).toBe(
      'GOVERNANCE_DENIED',
    )
    await agent.succeed('sales', 'create_media_buy', purchase(500))
    agent.clock.tick({ minutes: 1 })
    const larger = { ...plan, plan_id: 'larger', budget: { total: 9000, currency: 'USD' } }
    await agent.succeed('governance', 'sync_plans', {
      idempotency_key: 'key-of-a-larger-plan',
      plans: [larger],
    })
    await agent.succeed('sales', 'create_media_buy', purchase(5000))
    expect((await agent.fail('sales', 'create_media_buy', purchase(9500))).code).toBe(
      'GOVERNANCE_DENIED',
    )
    await bind('https://governance.other.example/mcp')
    await agent.succeed('sales', 'create_media_buy', purchase(5000))
  })
})
