import { describe, expect, test } from 'vitest'
import { openForEach } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example', sandbox: true }

const agent = openForEach(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))
let keys = 0

const control = (scenario: string, params: object = {}, tenant = 'sales') =>
  agent.call(tenant, 'comply_test_controller', { scenario, params, account })
const order = (more: object = {}) => ({
  idempotency_key: `key-of-a-control-${++keys}`,
  account,
  brand: account.brand,
  start_time: '2026-11-21T00:00:00Z',
  end_time: '2026-12-01T00:00:00Z',
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
  ...more,
})
const buy = (more: object = {}) => agent.succeed('sales', 'create_media_buy', order(more))
const refuse = async () => (await agent.fail('sales', 'create_media_buy', order())).code
const listProducts = async (given: object): Promise<string[]> => {
  const everything = { buying_mode: 'wholesale', ...given }
  const { products } = await agent.succeed('sales', 'get_products', everything)
  return products.map(({ product_id }: Payload) => product_id)
}

describe('the test controller', () => {
  test('is declared, and refuses accounts that are not of the sandbox', async () => {
    const { compliance_testing } = await agent.succeed('sales', 'get_adcp_capabilities')
    expect(compliance_testing.scenarios).toContain('force_media_buy_status')
    expect(
      await agent.call('sales', 'comply_test_controller', {
        scenario: 'list_scenarios',
        account: { ...account, sandbox: false },
      }),
    ).toMatchObject({ isError: true, payload: { success: false, error: 'FORBIDDEN' } })
  })

  test.each([
    ['make_coffee', {}, 'UNKNOWN_SCENARIO'],
    ['__proto__', {}, 'UNKNOWN_SCENARIO'],
    ['force_creative_status', {}, 'INVALID_PARAMS'],
    ['force_creative_status', { creative_id: 'x', status: 'approved' }, 'NOT_FOUND'],
    ['force_media_buy_status', { media_buy_id: 'x', status: 'active' }, 'NOT_FOUND'],
    ['force_account_status', { account_id: 'x', status: 'active' }, 'NOT_FOUND'],
    ['seed_pricing_option', { product_id: 'x', pricing_option_id: 'y' }, 'NOT_FOUND'],
  ])('answers %s %j with %s', async (scenario, params, error) => {
    expect(await control(scenario, params)).toMatchObject({
      isError: true,
      payload: { success: false, error, error_detail: expect.any(String) },
    })
  })

  test('adds a product that only its account finds and can buy', async () => {
    const product_id = 'outdoor_video'
    const fixture = {
      delivery_type: 'guaranteed',
      channels: ['video'],
      format_ids: [{ id: 'video_15s' }],
    }
    await control('seed_product', { product_id, fixture })
    const price = { pricing_option_id: 'fixed', fixture: { fixed_price: 12, currency: 'USD' } }
    await control('seed_pricing_option', { product_id, ...price })
    expect(await listProducts({ account })).toContain(product_id)
    expect(await listProducts({})).not.toContain(product_id)
    const bought = await buy({
      packages: [{ product_id, pricing_option_id: 'fixed', budget: 100 }],
    })
    expect(bought.packages[0].format_ids_to_provide).toMatchObject([{ id: 'video_15s' }])
  })

  test('adds formats to an account, which is then shown these alone', async () => {
    const params = { format_id: 'cube', fixture: { name: 'Cube', type: 'video' } }
    expect((await control('seed_creative_format', params)).payload).toMatchObject({ success: true })
    const list = async (given: object) =>
      (await agent.succeed('sales', 'list_creative_formats', given)).formats
    expect(await list({ account })).toMatchObject([
      { format_id: { id: 'cube' }, name: 'Cube', assets: [{ asset_type: 'video' }] },
    ])
    const other = { brand: { domain: 'other.example' }, operator: 'agency.example' }
    expect((await list({ account: other })).length).toBeGreaterThan(1)
    expect(JSON.stringify(await list({}))).not.toContain('cube')
  })

  test('moves a media buy only along allowed transitions', async () => {
    const { media_buy_id } = await buy()
    const force = (status: string) => control('force_media_buy_status', { media_buy_id, status })
    expect(await force('active')).toMatchObject({
      payload: { previous_state: 'pending_creatives', current_state: 'active' },
    })
    expect(await force('completed')).toMatchObject({ payload: { current_state: 'completed' } })
    expect(await force('active')).toMatchObject({
      payload: { error: 'INVALID_TRANSITION', current_state: 'completed' },
    })
    const { media_buys } = await agent.succeed('sales', 'get_media_buys', {
      media_buy_ids: [media_buy_id],
    })
    expect(media_buys).toMatchObject([{ status: 'completed', valid_actions: [] }])
  })

  test('rejects a media buy before it begins', async () => {
    const { media_buy_id } = await buy()
    await control('force_media_buy_status', { media_buy_id, status: 'rejected' })
    expect(
      await agent.fail('sales', 'update_media_buy', {
        idempotency_key: `key-of-a-control-${++keys}`,
        account,
        media_buy_id,
        paused: true,
      }),
    ).toMatchObject({ code: 'INVALID_STATE' })
  })

  test('adds delivery, part by part, that reports show', async () => {
    const { media_buy_id } = await buy()
    const delivery = { media_buy_id, impressions: 1001, clicks: 5, reported_spend: { amount: 50 } }
    await control('simulate_delivery', delivery)
    const again = await control('simulate_delivery', delivery)
    expect(again.payload.cumulative).toMatchObject({ impressions: 2002, clicks: 10, spend: 100 })
    await control('simulate_budget_spend', { media_buy_id, spend_percentage: 95 })
    const report = await agent.succeed('sales', 'get_media_buy_delivery', {
      media_buy_ids: [media_buy_id],
    })
    expect(report.media_buy_deliveries[0].totals).toMatchObject({ impressions: 2002, spend: 950 })
  })

  test('suspends an account, which then cannot buy, and reactivates it', async () => {
    await buy()
    const { accounts } = await agent.succeed('sales', 'list_accounts')
    const { account_id } = accounts[0]
    const force = (status: string) => control('force_account_status', { account_id, status })
    expect(await force('suspended')).toMatchObject({ payload: { previous_state: 'active' } })
    expect(await refuse()).toBe('ACCOUNT_SUSPENDED')
    await force('payment_required')
    expect(await refuse()).toBe('ACCOUNT_PAYMENT_REQUIRED')
    await force('active')
    await buy()
  })
})

describe('a package', () => {
  test('waits for a creative that does not exist yet, and starts with it', async () => {
    const creative_id = 'to-come'
    const { media_buy_id, status } = await buy({
      packages: [
        {
          product_id: 'test-product',
          pricing_option_id: 'test-pricing',
          budget: 1000,
          creative_assignments: [{ creative_id }],
        },
      ],
    })
    expect(status).toBe('pending_creatives')
    await agent.succeed('sales', 'sync_creatives', {
      idempotency_key: `key-of-a-control-${++keys}`,
      account,
      creatives: [
        {
          creative_id,
          name: 'One',
          format_id: { agent_url: 'https://agent.example/creative/mcp', id: 'display_300x250' },
          assets: {
            image: {
              asset_type: 'image',
              url: 'https://cdn.example/a.png',
              width: 300,
              height: 250,
            },
          },
        },
      ],
    })
    const { media_buys } = await agent.succeed('sales', 'get_media_buys', {
      media_buy_ids: [media_buy_id],
    })
    expect(media_buys).toMatchObject([
      { status: 'pending_start', packages: [{ creative_assignments: [{ creative_id }] }] },
    ])
  })
})
