import { beforeAll, describe, expect, test } from 'vitest'
import { SUPPORTED_VERSIONS } from '../../../api/agent/protocol-version.ts'
import { tenants } from '../../../api/agent/tenants.ts'
import { listAnswerSchemas, listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const format_id = { agent_url: 'https://agent.example/creative/mcp', id: 'display_300x250' }
const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250 }
const banner = { creative_id: 'c1', name: 'One', format_id, assets: { image } }
const order = {
  account,
  brand: account.brand,
  start_time: 'asap',
  end_time: '2026-12-01T00:00:00Z',
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
}
const plan = {
  plan_id: 'plan-1',
  brand: account.brand,
  objectives: 'Sell lamps',
  budget: { total: 10_000, currency: 'USD', reallocation_unlimited: true },
  flight: { start: '2026-11-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
  countries: ['US'],
}
const person = { external_id: 'x', hashed_email: 'a'.repeat(64) }
const caller = 'https://buyer.example/mcp'
const identifier = { type: 'domain', value: 'lamps.example' }
const approved = { selection_type: 'identifiers', identifiers: [identifier] }
const standards = {
  scope: { languages_any: ['en'] },
  policies: [{ policy_id: 'no_gambling', enforcement: 'must', policy: 'No gambling' }],
}
const artifact = { property_rid: 'p', artifact_id: 'a', assets: [{ type: 'text', content: 'Hi' }] }

/** Arguments with which each task succeeds, in any order after `prepare`. */
const examples: Record<string, object> = {
  get_adcp_capabilities: {},
  sync_accounts: { accounts: [{ ...account, billing: 'operator' }] },
  list_accounts: {},
  get_products: { brief: 'Video and display about sports' },
  list_creative_formats: {},
  create_media_buy: order,
  update_media_buy: { account, media_buy_id: 'buy-1', paused: true },
  get_media_buys: { media_buy_ids: ['buy-1'], include_snapshot: true, include_history: 3 },
  get_media_buy_delivery: { media_buy_ids: ['buy-1'] },
  tasks_get: { task_id: 'task-1' },
  list_tasks: {},
  sync_creatives: { account, creatives: [banner] },
  list_creatives: { account },
  sync_audiences: { account, audiences: [{ audience_id: 'a', name: 'A', add: [person] }] },
  sync_catalogs: {
    account,
    catalogs: [{ catalog_id: 'c', type: 'product', items: [{ item_id: 'a', title: 'A' }] }],
  },
  sync_event_sources: { account, event_sources: [{ event_source_id: 's' }] },
  log_event: {
    event_source_id: 'shop',
    events: [{ event_id: '1', event_type: 'purchase', event_time: '2026-11-19T12:00:00Z' }],
  },
  provide_performance_feedback: {
    media_buy_id: 'buy-1',
    measurement_period: { start: '2026-11-20T00:00:00Z', end: '2026-11-21T00:00:00Z' },
    performance_index: 1.2,
  },
  sync_governance: {
    accounts: [{ account, governance_agents: [{ url: caller, categories: ['budget_authority'] }] }],
  },
  get_signals: { signal_spec: 'runners' },
  activate_signal: {
    account,
    signal_agent_segment_id: 'runners',
    destinations: [{ type: 'platform', platform: 'a-platform' }],
  },
  preview_creative: { request_type: 'single', creative_manifest: banner },
  build_creative: { creative_manifest: banner, target_format_id: format_id },
  sync_plans: { plans: [plan] },
  check_governance: { plan_id: 'plan-1', caller, tool: 'create_media_buy', payload: order },
  report_plan_outcome: { plan_id: 'plan-1', outcome: 'completed', governance_context: 'token' },
  get_plan_audit_logs: { plan_ids: ['plan-1'] },
  get_brand_identity: { brand_id: 'lantern' },
  create_property_list: { name: 'Approved', base_properties: [approved] },
  get_property_list: {},
  update_property_list: { description: 'Approved in November' },
  list_property_lists: {},
  validate_property_delivery: { records: [{ identifier, impressions: 10 }] },
  delete_property_list: {},
  create_content_standards: standards,
  get_content_standards: {},
  update_content_standards: { policies: standards.policies },
  list_content_standards: {},
  calibrate_content: { artifact },
  validate_content_delivery: { records: [{ record_id: 'r', artifact }] },
}

/** Tasks of which the protocol has no schema. */
const unspecified = ['comply_test_controller']

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))
let keys = 0
/** Ids that the agent gave. */
let made: object

const keyed = (args: object) => ({ idempotency_key: `key-of-a-release-${++keys}`, ...args })

async function prepare() {
  const control = (scenario: string, params: object) =>
    agent.succeed('sales', 'comply_test_controller', { scenario, params, account })
  await control('seed_media_buy', { media_buy_id: 'buy-1' })
  await agent.succeed(
    'sales',
    'sync_event_sources',
    keyed({ account, event_sources: [{ event_source_id: 'shop' }] }),
  )
  await agent.succeed('governance', 'sync_plans', keyed({ plans: [plan] }))
  await agent.succeed('governance', 'check_governance', examples.check_governance)
  const { list } = await agent.succeed(
    'governance',
    'create_property_list',
    keyed({ ...examples.create_property_list }),
  )
  const { standards_id } = await agent.succeed(
    'governance',
    'create_content_standards',
    keyed(standards),
  )
  made = { list_id: list.list_id, standards_id }
  await control('force_create_media_buy_arm', { arm: 'submitted', task_id: 'task-1' })
  await agent.succeed('sales', 'create_media_buy', keyed(order))
}

beforeAll(async () => {
  await prepare()
})

const tasks = tenants.flatMap(({ name: tenant, tasks }) =>
  tasks
    .map(task => ({ tenant, name: task.name('adcp') }))
    .filter(({ name }) => !unspecified.includes(name)),
)

// The specification of 3.1: an answer names the release that it follows. None did.
test.each(tasks)('$tenant: $name answers by its schemas, and names the release', async task => {
  const { tenant, name } = task
  expect(listAnswerSchemas(name)).not.toEqual([])
  const answer = await agent.succeed(tenant, name, keyed({ ...made, ...examples[name] }))
  expect(answer).toMatchObject({ adcp_version: '3.0' })
})

test('a failure is described by its schema, and names the release', async () => {
  const { isError, payload } = await agent.call('sales', 'get_products', { brief: 7 })
  expect(isError).toBe(true)
  expect(payload).toMatchObject({ adcp_version: '3.0', code: 'INVALID_REQUEST' })
  expect(listSchemaFaults('core/error.json', payload.adcp_error)).toEqual([])
})

test('the capabilities of every tenant list the releases', async () => {
  for (const { name } of tenants) {
    const { adcp } = await agent.succeed(name, 'get_adcp_capabilities', {})
    expect(adcp).toMatchObject({ major_versions: [3], supported_versions: [...SUPPORTED_VERSIONS] })
  }
})

test('the kinds of formats are those that the protocol has', async () => {
  const { creative } = await agent.succeed('creative', 'get_adcp_capabilities', {})
  const kinds = creative.supported_formats.map((one: Payload) => one.format.format_kind)
  // It said `native` of a native card, a kind that no release has.
  const known = ['image', 'responsive_creative', 'video_hosted', 'video_vast', 'audio_hosted']
  expect([...new Set(kinds)]).toEqual(known)
})

describe('a request', () => {
  test.each([
    [{}],
    [{ adcp_major_version: 3 }],
    [{ adcp_version: '3.0' }],
    [{ adcp_version: '3.0.6' }],
    [{ adcp_version: '3.1', adcp_major_version: 3 }],
    [{ adcp_version: '3.10' }],
  ])('with %j of a known major version is answered by 3.0', async pins => {
    expect(await agent.succeed('sales', 'list_accounts', pins)).toMatchObject({
      adcp_version: '3.0',
    })
  })

  test.each([
    [{ adcp_major_version: 99 }, 'adcp_major_version'],
    [{ adcp_major_version: '3' }, 'adcp_major_version'],
    [{ adcp_version: '2.5' }, 'adcp_version'],
    [{ adcp_version: '4.0' }, 'adcp_version'],
    [{ adcp_version: '4.0', adcp_major_version: 3 }, 'adcp_version'],
    [{ adcp_version: '3.0', adcp_major_version: 4 }, 'adcp_major_version'],
    [{ adcp_version: '3' }, 'adcp_version'],
    [{ adcp_version: 3 }, 'adcp_version'],
    [{ adcp_version: null }, 'adcp_version'],
  ])('with %j is refused, and learns which releases it may pin', async (pins, field) => {
    const context = { trace: 'abc' }
    const { isError, payload } = await agent.call('sales', 'get_products', { ...pins, context })
    expect(isError).toBe(true)
    const details = { supported_versions: [...SUPPORTED_VERSIONS], supported_majors: [3] }
    expect(payload).toMatchObject({
      context,
      adcp_error: { code: 'VERSION_UNSUPPORTED', field, details },
    })
    expect(listSchemaFaults('core/error.json', payload.adcp_error)).toEqual([])
  })
})
