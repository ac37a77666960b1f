import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForEach } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250 }
const display = { agent_url: 'https://agent.example/creative/mcp', id: 'display_300x250' }
const creative = { creative_id: 'c1', name: 'One', format_id: display, assets: { image } }

const agent = openForEach(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))
let keys = 0

const newKey = () => `key-of-this-test-${++keys}`
const write = (name: string, args: object) =>
  agent.succeed('sales', name, { idempotency_key: newKey(), account, ...args })
const refuse = (name: string, args: object) =>
  agent.fail('sales', name, { idempotency_key: newKey(), account, ...args })
const inDays = (days: number) => toIso(agent.clock.now() + days * DAY)
const buyOfPackage = {
  product_id: 'harborview_kitchen_display_auction',
  pricing_option_id: 'cpm_auction',
  budget: 1000,
}
const reserved = {
  product_id: 'northlight_daily_display_reserved',
  pricing_option_id: 'cpm_fixed',
  budget: 1000,
}
const order = (more: object = {}) => ({
  brand: account.brand,
  start_time: '2026-11-21T00:00:00Z',
  end_time: '2026-12-01T00:00:00Z',
  packages: [{ ...buyOfPackage, creatives: [creative] }],
  ...more,
})
const buy = (more: object = {}) => write('create_media_buy', order(more))
const change = (media_buy_id: string, args: object) =>
  write('update_media_buy', { media_buy_id, ...args })
const read = async (media_buy_id: string): Promise<Payload> =>
  (await agent.succeed('sales', 'get_media_buys', { media_buy_ids: [media_buy_id] })).media_buys[0]
const deliver = (media_buy_id: string, args: object = {}) =>
  agent.succeed('sales', 'get_media_buy_delivery', { media_buy_ids: [media_buy_id], ...args })

describe('a media buy', () => {
  test('starts and ends by the clock alone', async () => {
    const { media_buy_id, status, revision } = await buy()
    expect([status, revision]).toEqual(['pending_start', 1])
    agent.clock.tick({ days: 1 })
    expect((await read(media_buy_id)).status).toBe('active')
    agent.clock.tick({ days: 10 })
    expect(await read(media_buy_id)).toMatchObject({ status: 'completed', valid_actions: [] })
  })

  test('that starts asap with creatives is active and lists the allowed actions', async () => {
    const { status, valid_actions } = await buy({ start_time: 'asap' })
    expect(status).toBe('active')
    expect(valid_actions).toEqual([
      'pause',
      'cancel',
      'update_budget',
      'update_dates',
      'update_packages',
      'add_packages',
      'sync_creatives',
    ])
  })

  test('without creatives waits for them, however late it is', async () => {
    const { media_buy_id, status, packages } = await buy({ packages: [buyOfPackage] })
    expect(status).toBe('pending_creatives')
    expect(packages[0].format_ids_to_provide).toContainEqual(display)
    agent.clock.tick({ days: 2 })
    expect((await deliver(media_buy_id)).impressions).toBe(0)
    const assignments = [{ creative_id: 'c1', package_id: packages[0].package_id }]
    const synced = await write('sync_creatives', { creatives: [creative], assignments })
    expect(synced.creatives).toEqual([
      {
        creative_id: 'c1',
        action: 'created',
        status: 'approved',
        assigned_to: [packages[0].package_id],
      },
    ])
    expect((await read(media_buy_id)).status).toBe('active')
  })

  test('accepts creatives of another account, since the credential is public', async () => {
    const { media_buy_id, packages } = await buy({ packages: [buyOfPackage] })
    const other = { brand: { domain: 'other.example' }, operator: 'agency.example' }
    const [{ package_id }] = packages
    const creatives = [{ ...creative, creative_id: 'theirs' }]
    await write('sync_creatives', { account: other, creatives })
    await change(media_buy_id, {
      packages: [{ package_id, creative_assignments: [{ creative_id: 'theirs' }] }],
    })
    expect((await read(media_buy_id)).status).toBe('pending_start')
    const assignments = [{ creative_id: 'theirs', package_id: 'none' }]
    expect((await refuse('sync_creatives', { account: other, assignments })).code).toBe(
      'PACKAGE_NOT_FOUND',
    )
  })

  test('can be paused and resumed, also before it starts', async () => {
    const { media_buy_id } = await buy()
    await change(media_buy_id, { paused: true })
    agent.clock.tick({ days: 2 })
    expect((await read(media_buy_id)).status).toBe('paused')
    const resumed = await change(media_buy_id, { paused: false })
    expect(resumed).toMatchObject({ status: 'active', revision: 3 })
    expect(await refuse('update_media_buy', { media_buy_id, paused: false })).toEqual({
      code: 'INVALID_STATE',
      field: 'paused',
    })
  })

  test('that has ended can be neither changed nor canceled', async () => {
    const { media_buy_id } = await buy()
    const canceled = await change(media_buy_id, { canceled: true, cancellation_reason: 'no' })
    expect(canceled).toMatchObject({ status: 'canceled', canceled_by: 'buyer', valid_actions: [] })
    for (const [args, code] of [
      [{ paused: true }, 'INVALID_STATE'],
      [{ end_time: '2027-01-01T00:00:00Z' }, 'INVALID_STATE'],
      [{ canceled: true }, 'NOT_CANCELLABLE'],
    ] as const) {
      expect((await refuse('update_media_buy', { media_buy_id, ...args })).code).toBe(code)
    }
    expect((await read(media_buy_id)).revision).toBe(2)
  })

  test('is not changed by a request with an older revision', async () => {
    const { media_buy_id } = await buy()
    await change(media_buy_id, { revision: 1, end_time: '2026-12-05T00:00:00Z' })
    const late = { media_buy_id, revision: 1, paused: true }
    expect(await refuse('update_media_buy', late)).toEqual({ code: 'CONFLICT', field: 'revision' })
  })

  test('keeps the given fields and its history', async () => {
    const targeting_overlay = { geo_countries: ['US'] }
    const { media_buy_id, packages } = await buy({
      packages: [{ ...buyOfPackage, targeting_overlay, creatives: [creative] }],
    })
    const [{ package_id }] = packages
    await change(media_buy_id, { packages: [{ package_id, budget: 2000 }] })
    await change(media_buy_id, { new_packages: [reserved] })
    const { media_buys } = await agent.succeed('sales', 'get_media_buys', {
      media_buy_ids: [media_buy_id],
      include_history: 10,
    })
    expect(media_buys[0]).toMatchObject({ total_budget: 3000, currency: 'USD' })
    expect(media_buys[0].packages[0]).toMatchObject({ targeting_overlay, budget: 2000 })
    expect(media_buys[0].history.map((one: Payload) => [one.revision, one.action])).toEqual([
      [3, 'packages_added'],
      [2, 'packages_updated'],
      [1, 'created'],
    ])
  })

  test('is listed without an id only while it is active', async () => {
    const later = await buy()
    const now = await buy({ start_time: 'asap' })
    const listed = async (args: object) =>
      (await agent.succeed('sales', 'get_media_buys', { account, ...args })).media_buys.map(
        (one: Payload) => one.media_buy_id,
      )
    expect(await listed({})).toEqual([now.media_buy_id])
    expect(await listed({ status_filter: 'pending_start' })).toEqual([later.media_buy_id])
  })

  test.each([
    [
      'an unknown product',
      { packages: [{ ...buyOfPackage, product_id: 'x' }] },
      'PRODUCT_NOT_FOUND',
    ],
    [
      'an unknown price',
      { packages: [{ ...buyOfPackage, pricing_option_id: 'x' }] },
      'INVALID_REQUEST',
    ],
    ['a negative budget', { packages: [{ ...buyOfPackage, budget: -1 }] }, 'INVALID_REQUEST'],
    ['a bid below the floor', { packages: [{ ...buyOfPackage, bid_price: 1 }] }, 'BUDGET_TOO_LOW'],
    ['dates in reverse', { start_time: '2026-12-24T00:00:00Z' }, 'INVALID_REQUEST'],
    [
      'an end in the past',
      { start_time: 'asap', end_time: '2026-11-01T00:00:00Z' },
      'INVALID_REQUEST',
    ],
    ['nothing to buy', { packages: undefined }, 'INVALID_REQUEST'],
    [
      'an unknown proposal',
      {
        packages: undefined,
        proposal_id: 'p',
        total_budget: { amount: 1, currency: 'USD' },
      },
      'REFERENCE_NOT_FOUND',
    ],
    ['an unknown account', { account: { account_id: 'x' } }, 'ACCOUNT_NOT_FOUND'],
    [
      'counts that may not differ at all',
      {
        packages: [
          {
            ...buyOfPackage,
            measurement_terms: { billing_measurement: { max_variance_percent: 0 } },
          },
        ],
      },
      'TERMS_REJECTED',
    ],
    [
      'terms that are not offered, whatever its dates are',
      {
        start_time: '2026-10-01T00:00:00Z',
        end_time: '2026-11-01T00:00:00Z',
        packages: [
          {
            ...buyOfPackage,
            measurement_terms: { billing_measurement: { max_variance_percent: 0 } },
          },
        ],
      },
      'TERMS_REJECTED',
    ],
    [
      'counts that are final after a month',
      {
        packages: [
          {
            ...buyOfPackage,
            measurement_terms: { billing_measurement: { measurement_window: 'c30' } },
          },
        ],
      },
      'TERMS_REJECTED',
    ],
    [
      'two currencies',
      {
        packages: [
          buyOfPackage,
          {
            product_id: 'stonegate_screens_dooh_reserved',
            pricing_option_id: 'cpm_fixed',
            budget: 1,
          },
        ],
      },
      'INVALID_REQUEST',
    ],
  ])('is refused with %s', async (_what, args, code) => {
    expect((await refuse('create_media_buy', order(args))).code).toBe(code)
  })
})

describe('delivery', () => {
  test('grows with time and spends a guaranteed budget in full', async () => {
    const { media_buy_id } = await buy({ packages: [{ ...reserved, creatives: [creative] }] })
    agent.clock.tick({ days: 6 })
    const half = await deliver(media_buy_id)
    expect(half.spend).toEqual({ amount: 500, currency: 'USD' })
    expect(half.media_buy_deliveries[0].by_package[0]).toMatchObject({ rate: 14, pacing_index: 1 })
    expect(half.impressions).toBe(Math.floor((500 / 14) * 1000))
    agent.clock.tick({ days: 60 })
    expect((await deliver(media_buy_id)).spend.amount).toBe(1000)
  })

  test('stops while the buy is paused, and the amount spent stays', async () => {
    const { media_buy_id } = await buy({ packages: [{ ...reserved, creatives: [creative] }] })
    agent.clock.tick({ days: 3 })
    await change(media_buy_id, { paused: true })
    const { spend } = await deliver(media_buy_id)
    agent.clock.tick({ days: 4 })
    expect((await deliver(media_buy_id)).spend).toEqual(spend)
    await change(media_buy_id, { paused: false })
    agent.clock.tick({ days: 30 })
    expect((await deliver(media_buy_id)).spend.amount).toBe(1000)
  })

  test('never decreases, whatever happens to a buy', async () => {
    const step = fc.constantFrom<object>(
      { paused: true },
      { paused: false },
      { days: 8 },
      { days: 30 },
      { budget: 5000 },
      { budget: 300 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.integer({ min: 0, max: 60 })), { maxLength: 6 }),
        async steps => {
          const made = await buy({
            start_time: 'asap',
            end_time: inDays(10),
            packages: [{ ...buyOfPackage, creatives: [creative] }],
          })
          const [{ package_id }] = made.packages
          let spent = 0
          for (const [args, hours] of steps) {
            const asked = 'budget' in args ? { packages: [{ package_id, ...args }] } : args
            const dates = 'days' in args && { end_time: inDays(args.days as number) }
            await agent.call('sales', 'update_media_buy', {
              idempotency_key: newKey(),
              account,
              media_buy_id: made.media_buy_id,
              ...asked,
              ...dates,
            })
            agent.clock.tick({ hours })
            const { amount } = (await deliver(made.media_buy_id)).spend
            expect(amount).toBeGreaterThanOrEqual(spent)
            spent = amount
          }
          const { total_budget } = await read(made.media_buy_id)
          expect(spent).toBeLessThanOrEqual(total_budget)
        },
      ),
      { numRuns: 25 },
    )
  })

  test('by day adds up to the total', async () => {
    const { media_buy_id } = await buy()
    agent.clock.tick({ days: 5, hours: 7 })
    const { spend, by_package } = await deliver(media_buy_id, {
      include_package_daily_breakdown: true,
    })
    const days: Payload[] = by_package[0].daily_breakdown
    expect(days.map(({ date }) => date)).toContain('2026-11-24')
    const sum = days.reduce((total, day) => total + day.spend, 0)
    expect(sum).toBeCloseTo(spend.amount, 1)
  })

  test('of a range of days is part of the total', async () => {
    const { media_buy_id } = await buy({ packages: [{ ...reserved, creatives: [creative] }] })
    agent.clock.tick({ days: 20 })
    const { spend } = await deliver(media_buy_id, {
      start_date: '2026-11-22',
      end_date: '2026-11-24',
    })
    expect(spend.amount).toBe(200)
    expect(
      await agent.fail('sales', 'get_media_buy_delivery', {
        start_date: '2026-11-24',
        end_date: '2026-11-22',
      }),
    ).toEqual({ code: 'INVALID_REQUEST', field: 'end_date' })
  })
})

test('answers match the public schemas', async () => {
  const made = await buy({ start_time: 'asap' })
  const { media_buy_id } = made
  const paused = await change(media_buy_id, { paused: true })
  const bought = await agent.succeed('sales', 'get_media_buys', {
    media_buy_ids: [media_buy_id],
    include_snapshot: true,
    include_history: 3,
  })
  const accounts = [{ ...account, billing: 'operator' }]
  for (const [name, payload] of [
    ['media-buy/create-media-buy', made],
    ['media-buy/update-media-buy', paused],
    ['media-buy/get-media-buys', bought],
    ['media-buy/get-media-buy-delivery', await deliver(media_buy_id)],
    ['creative/sync-creatives', await write('sync_creatives', { creatives: [creative] })],
    ['creative/list-creatives', await agent.succeed('sales', 'list_creatives', { account })],
    ['account/sync-accounts', await write('sync_accounts', { accounts })],
    ['account/list-accounts', await agent.succeed('sales', 'list_accounts')],
  ] as const) {
    expect([name, listSchemaFaults(`${name}-response.json`, payload)]).toEqual([name, []])
  }
})

describe('accounts', () => {
  const args = { ...account, billing: 'agent' }
  const sync = (more: object) => write('sync_accounts', { account: undefined, ...more })

  test('are created, found again, changed and closed', async () => {
    const actions = async (more: object) =>
      (await sync(more)).accounts.map((one: Payload) => [one.action, one.status])
    expect(await actions({ accounts: [args], dry_run: true })).toEqual([['created', 'active']])
    expect(await actions({ accounts: [args] })).toEqual([['created', 'active']])
    expect(await actions({ accounts: [args] })).toEqual([['unchanged', 'active']])
    expect(await actions({ accounts: [{ ...args, billing: 'operator' }] })).toEqual([
      ['updated', 'active'],
    ])
    const other = { ...args, brand: { domain: 'other.example' } }
    expect(await actions({ accounts: [other], delete_missing: true })).toEqual([
      ['created', 'active'],
      ['updated', 'closed'],
    ])
    expect((await refuse('create_media_buy', order())).code).toBe('ACCOUNT_NOT_FOUND')
  })

  test('are listed, or a default one if there are none', async () => {
    const [first] = (await agent.succeed('sales', 'list_accounts')).accounts
    await buy({ account: { account_id: first.account_id } })
    const { accounts } = await sync({ accounts: [args] })
    const listed = (await agent.succeed('sales', 'list_accounts')).accounts
    expect(listed).toHaveLength(2)
    expect(listed.map((one: Payload) => one.account_id)).toContain(accounts[0].account_id)
  })
})
