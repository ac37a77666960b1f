import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const clock = testClock('2026-11-20T00:00Z')
const agent = openForAll(() => startReferenceAgent(clock))
let keys = 0

const keyed = (args: object) => ({ idempotency_key: `key-of-this-test-${++keys}`, ...args })
const write = (name: string, args: object, tenant = 'sales') =>
  agent.succeed(tenant, name, keyed({ account, ...args }))
const refuse = (name: string, args: object, tenant = 'sales') =>
  agent.fail(tenant, name, keyed({ account, ...args }))

function expectSchema(path: string, payload: Payload) {
  expect(listSchemaFaults(`${path}-response.json`, payload)).toEqual([])
}

describe('a signal', () => {
  const platform = { type: 'platform', platform: 'a-platform', account: 'seat-1' }
  const seller = { type: 'agent', agent_url: 'https://sales.example/mcp' }
  const args = { signal_agent_segment_id: 'runners', destinations: [platform, seller] }
  const read = async () =>
    (
      await agent.succeed('signals', 'get_signals', {
        account,
        signal_ids: [{ source: 'catalog', id: 'runners' }],
      })
    ).signals[0].deployments

  test('is live from its activation to its deactivation', async () => {
    const activated = await write('activate_signal', args, 'signals')
    expectSchema('signals/activate-signal', activated)
    expect(activated.deployments).toMatchObject([
      { ...platform, is_live: true, activation_key: { type: 'segment_id' } },
      { ...seller, is_live: true, activation_key: { type: 'key_value' } },
    ])
    expect(await read()).toHaveLength(2)
    const again = await write('activate_signal', args, 'signals')
    expect(again.deployments).toEqual(activated.deployments)
    const ended = { ...args, destinations: [platform], action: 'deactivate' }
    const { deployments } = await write('activate_signal', ended, 'signals')
    expect(deployments).toEqual([{ ...platform, is_live: false }])
    expect(await read()).toMatchObject([{ type: 'agent' }])
  })

  test('has one price, per thousand impressions or per month', async () => {
    const owned = { signal_agent_segment_id: 'prism_high_ltv', pricing_option_id: 'cpm' }
    expect((await refuse('activate_signal', { ...args, ...owned }, 'signals')).code).toBe(
      'INVALID_REQUEST',
    )
    const priced = { ...owned, pricing_option_id: 'po_prism_flat_monthly' }
    await write('activate_signal', { ...args, ...priced }, 'signals')
  })

  test.each([
    [{ signal_agent_segment_id: 'none' }, 'SIGNAL_NOT_FOUND'],
    [{ pricing_option_id: 'none' }, 'INVALID_REQUEST'],
    [{ destinations: [{ type: 'radio' }] }, 'INVALID_REQUEST'],
  ])('is not activated with %j', async (more, code) => {
    expect((await refuse('activate_signal', { ...args, ...more }, 'signals')).code).toBe(code)
  })
})

describe('an audience', () => {
  const person = (id: number) => ({
    external_id: `person-${id}`,
    hashed_email: createHash('sha256').update(String(id)).digest('hex'),
  })
  const people = (count: number) => Array.from({ length: count }, (_, id) => person(id))
  const sync = async (audience: object) => {
    const answer = await write('sync_audiences', { audiences: [{ audience_id: 'a', ...audience }] })
    expectSchema('media-buy/sync-audiences', answer)
    return answer.audiences[0]
  }

  test('grows and shrinks, and is ready once enough people are matched', async () => {
    expect(await sync({ name: 'A', add: people(20) })).toMatchObject({
      action: 'created',
      status: 'too_small',
      total_uploaded_count: 20,
    })
    const ready = await sync({ add: people(400) })
    expect(ready).toMatchObject({ action: 'updated', status: 'ready', total_uploaded_count: 400 })
    expect(ready.matched_count).toBeLessThan(400)
    expect(await sync({ add: people(400) })).toMatchObject({ action: 'unchanged' })
    expect(await sync({ remove: people(390) })).toMatchObject({ total_uploaded_count: 10 })
    const listed = await write('sync_audiences', {})
    expect(listed.audiences).toMatchObject([{ audience_id: 'a', action: 'unchanged' }])
    expect(await sync({ delete: true })).toEqual({ audience_id: 'a', action: 'deleted' })
    expect((await write('sync_audiences', {})).audiences).toEqual([])
  })

  test('accepts no names or addresses', async () => {
    const add = [{ external_id: 'x', hashed_email: 'anna@acme.example' }]
    const args = { audiences: [{ audience_id: 'a', add }] }
    expect(await refuse('sync_audiences', args)).toEqual({
      code: 'INVALID_REQUEST',
      field: 'audiences[0].add[0].hashed_email',
    })
  })
})

describe('a catalog', () => {
  const items = [{ item_id: 'a', title: 'A' }, { item_id: 'b' }, { title: 'No id' }]
  const sync = async (more: object = {}) => {
    const answer = await write('sync_catalogs', {
      catalogs: [{ catalog_id: 'c', type: 'product', items }],
      ...more,
    })
    expectSchema('media-buy/sync-catalogs', answer)
    return answer.catalogs
  }

  test('reports which items are usable, and why the others are not', async () => {
    const [catalog] = await sync()
    expect(catalog).toMatchObject({ action: 'created', item_count: 3, items_approved: 1 })
    expect(catalog.item_issues.map((one: Payload) => one.item_id)).toEqual(['b', 'items[2]'])
    clock.tick({ hours: 1 })
    expect(await sync()).toMatchObject([{ action: 'unchanged' }])
    const other = { catalogs: [{ catalog_id: 'd', type: 'store', items: [items[0]] }] }
    expect(await sync({ ...other, delete_missing: true, dry_run: true })).toHaveLength(2)
    expect(await sync({ catalogs: undefined })).toMatchObject([{ catalog_id: 'c' }])
    expect(await sync({ ...other, delete_missing: true })).toMatchObject([
      { catalog_id: 'd', action: 'created' },
      { catalog_id: 'c', action: 'deleted' },
    ])
  })
})

describe('events', () => {
  const event = (event_id: string, more: object = {}) => ({
    event_id,
    event_type: 'purchase',
    event_time: '2026-11-19T12:00:00Z',
    ...more,
  })
  const log = async (events: object[], more: object = {}) => {
    const answer = await write('log_event', { event_source_id: 'shop', events, ...more })
    expectSchema('media-buy/log-event', answer)
    return answer
  }

  test('count once, and an invalid one does not affect the others', async () => {
    const sources = await write('sync_event_sources', {
      event_sources: [{ event_source_id: 'shop', event_types: ['purchase'] }],
    })
    expectSchema('media-buy/sync-event-sources', sources)
    const answer = await log([
      event('1', { user_match: { hashed_email: 'x' } }),
      event('2'),
      event('2'),
      event('3', { event_type: 'dance' }),
      event('4', { event_type: 'lead' }),
      event('5', { event_time: '2025-01-01T00:00:00Z' }),
    ])
    expect(answer).toMatchObject({ events_received: 6, events_processed: 3, match_quality: 0.5 })
    expect(answer.partial_failures.map((one: Payload) => one.event_id)).toEqual(['3', '4', '5'])
    expect((await log([event('1')])).warnings).toHaveLength(1)
  })

  test('of a test are checked and not stored', async () => {
    await log([event('t')], { test_event_code: 'T1' })
    expect(await log([event('t')])).not.toHaveProperty('warnings')
  })
})

test('feedback on a purchase is accepted', async () => {
  const { media_buy_id } = await write('create_media_buy', {
    brand: account.brand,
    start_time: 'asap',
    end_time: '2026-12-01T00:00:00Z',
    packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1 }],
  })
  const args = {
    media_buy_id,
    measurement_period: { start: '2026-11-20T00:00:00Z', end: '2026-11-21T00:00:00Z' },
    performance_index: 1.2,
  }
  const taken = await write('provide_performance_feedback', args)
  expectSchema('media-buy/provide-performance-feedback', taken)
  for (const [more, code] of [
    [{ media_buy_id: 'none' }, 'MEDIA_BUY_NOT_FOUND'],
    [{ package_id: 'none' }, 'PACKAGE_NOT_FOUND'],
    [{ creative_id: 'none' }, 'CREATIVE_NOT_FOUND'],
    [{ performance_index: -1 }, 'INVALID_REQUEST'],
    [
      { measurement_period: { ...args.measurement_period, end: '2026-11-19T00:00:00Z' } },
      'INVALID_REQUEST',
    ],
  ] as const) {
    expect((await refuse('provide_performance_feedback', { ...args, ...more })).code).toBe(code)
  }
})
