import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebhookSender } from '../../../api/agent/webhooks/sender.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import {
  buildWebhookProfile,
  findInKeySet,
  MemoryReplayStore,
  verifySignature,
} from '../../../pipeline/signing/index.ts'
import {
  type Payload,
  type ReferenceAgent,
  startReferenceAgent,
} from '../../support/servers/reference-agent.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'
import { createFetcherTo, startOrigin } from '../../support/worlds/fetching.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250 }
const format_id = { agent_url: 'https://agent.example/creative/mcp', id: 'display_300x250' }
const creative = { creative_id: 'c1', name: 'One', format_id, assets: { image } }
const url = 'https://buyer.example:8443/hooks?for=a'
const push_notification_config = {
  url,
  token: 'a-token-of-theirs',
  operation_id: 'op-1',
  authentication: { schemes: ['HTTP_MESSAGE_SIGNATURES'] },
}
const order = {
  idempotency_key: 'key-of-this-order',
  account,
  brand: account.brand,
  start_time: '2026-11-21T00:00:00Z',
  end_time: '2026-12-01T00:00:00Z',
  packages: [
    {
      product_id: 'test-product',
      pricing_option_id: 'test-pricing',
      budget: 1,
      creatives: [creative],
    },
  ],
  push_notification_config,
}

interface Received {
  headers: IncomingMessage['headers']
  text: string
  body: Payload
}

let clock: TestClock
let agent: ReferenceAgent
let received: Received[]
let status: number
let sender: WebhookSender

beforeEach(async () => {
  clock = testClock('2026-11-20T00:00Z')
  agent = await startReferenceAgent(clock)
  received = []
  status = 200
  const { url: connectTo } = await startOrigin(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push({ headers: request.headers, text, body: JSON.parse(text) })
    response.writeHead(status).end()
  })
  const fetcher = createFetcherTo(connectTo)
  sender = new WebhookSender({
    state: agent.state,
    clock,
    log: silentLog,
    fetcher,
    protocolName: 'adcp',
  })
})

afterEach(() => agent.close())

const buy = (more: object = {}) => agent.succeed('sales', 'create_media_buy', { ...order, ...more })

test('a completion is posted once, signed by a key of the JWKS', async () => {
  const { media_buy_id, packages } = await buy()
  await buy()
  expect(await sender.sendDue()).toBe(1)
  expect(await sender.sendDue()).toBe(0)
  const [{ headers, text, body }] = received as [Received]
  expect(body).toMatchObject({
    task_type: 'create_media_buy',
    protocol: 'media-buy',
    status: 'completed',
    operation_id: 'op-1',
    token: 'a-token-of-theirs',
    timestamp: '2026-11-20T00:00:00.000Z',
    result: { media_buy_id, packages: [{ package_id: packages[0].package_id }] },
  })
  const keySet = (await agent.app.inject('/.well-known/jwks.json')).json()
  const verifier = {
    profile: buildWebhookProfile('adcp'),
    findKey: async (kid: string) => findInKeySet(keySet, kid),
    replays: new MemoryReplayStore(),
  }
  const seconds = clock.now() / 1000
  const request = { method: 'POST', url, headers, body: text }
  expect(await verifySignature(request, verifier, seconds)).toMatchObject({ outcome: 'verified' })
})

test('an undelivered webhook is posted again with growing delays, the same body under a new signature', async () => {
  await buy()
  status = 503
  for (const [waitMs, attempts] of [
    [0, 1],
    [1_999, 1],
    [1, 2],
    [4_000, 3],
    [8_000, 4],
    [16_000, 5],
    [3_600_000, 5],
  ] as const) {
    clock.tick({ ms: waitMs })
    await sender.sendDue()
    expect(received).toHaveLength(attempts)
  }
  expect(new Set(received.map(({ text }) => text)).size).toBe(1)
  expect(new Set(received.map(({ headers }) => headers.signature)).size).toBe(5)
})

test('a webhook that is refused for good is not posted again', async () => {
  await buy()
  status = 400
  await sender.sendDue()
  clock.tick({ hours: 1 })
  expect(await sender.sendDue()).toBe(0)
})

test('the start of a flight is posted when it begins', async () => {
  const { media_buy_id } = await buy()
  await sender.sendDue()
  clock.tick({ hours: 23 })
  expect(await sender.sendDue()).toBe(0)
  clock.tick({ hours: 1 })
  expect(await sender.sendDue()).toBe(1)
  expect(received[1]!.body.result).toMatchObject({
    media_buy_id,
    status: 'active',
    previous_status: 'pending_start',
  })
  expect(received[1]!.body.idempotency_key).not.toBe(received[0]!.body.idempotency_key)
})

test('a flight that was moved or canceled is not posted at its old start', async () => {
  const { media_buy_id } = await buy()
  await sender.sendDue()
  const update = (idempotency_key: string, change: object) =>
    agent.succeed('sales', 'update_media_buy', {
      idempotency_key,
      account,
      media_buy_id,
      ...change,
    })
  await update('key-of-the-move-1', { start_time: '2026-11-23T00:00:00Z' })
  clock.tick({ days: 1 })
  expect(await sender.sendDue()).toBe(0)
  await update('key-of-the-cancel', { canceled: true })
  clock.tick({ days: 3 })
  expect(await sender.sendDue()).toBe(0)
})

test.each([
  'http://127.0.0.1:9/hook',
  'https://localhost/hook',
  'https://10.0.0.1/hook',
  '{{url}}',
])('nothing is posted to %s', async closed => {
  await buy({ push_notification_config: { url: closed } })
  await sender.sendDue()
  expect(received).toEqual([])
  clock.tick({ hours: 1 })
  expect(await sender.sendDue()).toBe(0)
})

test('where a test asks for it webhooks reach this machine, and no other closed address', async () => {
  const { url: connectTo } = await startOrigin(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push({ headers: request.headers, text, body: JSON.parse(text) })
    response.writeHead(200).end()
  })
  const local = new WebhookSender({
    state: agent.state,
    clock,
    log: silentLog,
    fetcher: createFetcherTo(connectTo),
    protocolName: 'adcp',
    reachesLoopback: true,
  })
  const closed = ['http://10.0.0.1/hook', 'https://localhost/hook', 'http://buyer.example/hook']
  for (const [count, url] of ['http://127.0.0.1:9/hook', ...closed].entries()) {
    const push_notification_config = { url }
    await buy({ idempotency_key: `key-of-this-order-${count}`, push_notification_config })
  }
  await local.sendDue()
  expect(received.map(({ headers }) => headers.host)).toEqual(['127.0.0.1:9'])
})
