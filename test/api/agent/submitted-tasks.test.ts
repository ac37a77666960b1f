import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findDue } from '../../../api/agent/webhooks/outbox.ts'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForEach } from '../../support/runner/open-for-all.ts'
import { startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example', sandbox: true }
const task_id = 'task_of_a_signature'
const message = 'Waits for a signature'
const COMPLETION_MS = 10_000

const agent = openForEach(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))

const force = (params: object, whose: object = account) =>
  agent.call('sales', 'comply_test_controller', {
    scenario: 'force_create_media_buy_arm',
    params: { arm: 'submitted', task_id, message, ...params },
    account: whose,
  })
const order = (more: object = {}) => ({
  idempotency_key: randomUUID(),
  account,
  brand: account.brand,
  start_time: 'asap',
  end_time: '2026-12-01T00:00:00Z',
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
  ...more,
})
const buy = (more?: object) => agent.succeed('sales', 'create_media_buy', order(more))
const readTask = (id = task_id) => agent.succeed('sales', 'tasks_get', { task_id: id })
const listBuys = async () =>
  (await agent.succeed('sales', 'get_media_buys', { account, status_filter: 'pending_creatives' }))
    .media_buys

test('a purchase that is submitted has a task, and no media buy before it is completed', async () => {
  expect((await force({})).payload).toMatchObject({
    success: true,
    forced: { arm: 'submitted', task_id },
  })
  const submitted = await buy()
  expect(listSchemaFaults('media-buy/create-media-buy-response.json', submitted)).toEqual([])
  expect(submitted).toMatchObject({ status: 'submitted', task_id, message })
  expect(submitted).not.toHaveProperty('media_buy_id')
  const waiting = await readTask()
  expect(listSchemaFaults('core/tasks-get-response.json', waiting)).toEqual([])
  expect(waiting).toMatchObject({ status: 'submitted', task_type: 'create_media_buy', message })
  expect(waiting).not.toHaveProperty('result')
  expect(await listBuys()).toEqual([])

  agent.clock.tick({ ms: COMPLETION_MS })
  const completed = await readTask()
  expect(listSchemaFaults('core/tasks-get-response.json', completed)).toEqual([])
  expect(completed).toMatchObject({
    status: 'completed',
    completed_at: '2026-11-20T00:00:10.000Z',
    result: { status: 'pending_creatives', confirmed_at: '2026-11-20T00:00:10.000Z' },
  })
  const { media_buy_id } = completed.result
  expect(await listBuys()).toMatchObject([{ media_buy_id }])
})

test('a buy that was submitted cannot be changed before it is confirmed', async () => {
  await force({})
  await buy()
  agent.clock.tick({ ms: COMPLETION_MS })
  const { media_buy_id, packages } = (await readTask()).result
  agent.clock.tick({ ms: -1 })
  const change = { idempotency_key: randomUUID(), account, media_buy_id, paused: true }
  expect((await agent.fail('sales', 'update_media_buy', change)).code).toBe('MEDIA_BUY_NOT_FOUND')
  const assignments = [{ creative_id: 'any', package_id: packages[0].package_id }]
  const assigned = { idempotency_key: randomUUID(), account, creatives: [], assignments }
  expect((await agent.call('sales', 'sync_creatives', assigned)).isError).toBe(true)
})

test('only the next purchase of that account is submitted, and one that fails leaves it to the next', async () => {
  await force({})
  const other = { brand: { domain: 'other.example' }, operator: 'agency.example' }
  expect(await buy({ account: other, brand: other.brand })).toHaveProperty('media_buy_id')
  const wrong = order({ end_time: '2020-01-01T00:00:00Z' })
  expect((await agent.call('sales', 'create_media_buy', wrong)).isError).toBe(true)
  expect(await buy()).toMatchObject({ status: 'submitted' })
  expect(await buy()).toHaveProperty('media_buy_id')
})

test('a repeated request names the same task', async () => {
  await force({})
  const args = order()
  const first = await agent.succeed('sales', 'create_media_buy', args)
  const again = await agent.succeed('sales', 'create_media_buy', args)
  expect(again).toEqual({ ...first, replayed: true })
})

test('one webhook reports the completion, with the id of the task', async () => {
  await force({})
  const url = 'https://buyer.example/hooks'
  await buy({ push_notification_config: { url, operation_id: 'op-1' } })
  const due = () =>
    agent.state.transact(agent.clock.now(), () => findDue(agent.state, agent.clock.now(), 9))
  expect(due()).toEqual([])
  agent.clock.tick({ ms: COMPLETION_MS })
  const { result } = await readTask()
  const notices = due().filter(({ body }) => body)
  expect(notices).toHaveLength(1)
  expect(JSON.parse(notices[0]!.body!)).toMatchObject({
    task_id,
    operation_id: 'op-1',
    task_type: 'create_media_buy',
    status: 'completed',
    timestamp: '2026-11-20T00:00:10.000Z',
    result: { media_buy_id: result.media_buy_id },
  })
})

test.each([
  ['another way to answer', { arm: 'input-required' }],
  ['no task', { task_id: undefined }],
  ['an id that is no name', { task_id: 'a task' }],
])('the controller refuses %s', async (_what, params) => {
  expect((await force(params)).payload).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
})

test('a task that nobody submitted is unknown', async () => {
  expect(await agent.fail('sales', 'tasks_get', { task_id: 'another' })).toEqual({
    code: 'REFERENCE_NOT_FOUND',
    field: 'task_id',
  })
})

test('submitted tasks are listed with their status, by filters and pages', async () => {
  const list = (given: object = {}) => agent.succeed('sales', 'list_tasks', given)
  expect(await list()).toMatchObject({ tasks: [], query_summary: { total_matching: 0 } })
  for (const id of ['task_1', 'task_2', 'task_3']) {
    await force({ task_id: id })
    await buy()
    agent.clock.tick({ ms: 6_000 })
  }
  const ids = ({ tasks }: { tasks?: { task_id: string }[] }) => tasks?.map(task => task.task_id)
  const all = await list()
  expect(ids(all)).toEqual(['task_3', 'task_2', 'task_1'])
  expect(all.query_summary.status_breakdown).toEqual({ completed: 2, submitted: 1 })
  expect(all.tasks[0]).not.toHaveProperty('result')
  expect(ids(await list({ filters: { status: 'submitted' } }))).toEqual(['task_3'])
  expect(ids(await list({ filters: { task_ids: ['task_2'] } }))).toEqual(['task_2'])
  expect(ids(await list({ filters: { task_types: ['update_media_buy'] } }))).toEqual([])
  expect(ids(await list({ filters: { has_webhook: true } }))).toEqual([])
  const after = '2026-11-20T00:00:05Z'
  expect(
    ids(await list({ filters: { created_after: after }, sort: { direction: 'asc' } })),
  ).toEqual(['task_2', 'task_3'])
  const first = await list({ pagination: { max_results: 2 } })
  expect(first.pagination).toMatchObject({ has_more: true, total_count: 3 })
  const { cursor } = first.pagination
  expect(ids(await list({ pagination: { max_results: 2, cursor } }))).toEqual(['task_1'])
  // The public client says it otherwise.
  const { payload } = await agent.call('sales', 'tasks/list')
  expect(ids(payload)).toEqual(ids(all))
})
