import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOpenInbox } from '../../jobs/api-client/webhook-inboxes.ts'
import type { WebhookInbox } from '../../pipeline/storyboards/webhook-inbox.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'

const BASE = 'https://registry.example'
const BYTES_MAX = 64 * 1024

let redis: TestRedis
let registry: TestRegistry
let inbox: WebhookInbox

beforeAll(async () => {
  redis = await startRedis()
  registry = await openRegistry({ redis: redis.redis })
  inbox = await createOpenInbox(
    redis.redis,
    BASE,
  )(new Map([['retried', { count: 2, status: 503 }]]))
})

afterAll(async () => {
  await registry.close()
  await redis.close()
})

async function post(url: string, payload: string | Buffer = '{"a":1}') {
  const answer = await registry.app.inject({
    method: 'POST',
    url: url.replace(BASE, ''),
    headers: { 'content-type': 'application/json', signature: 'sig=:AA:', 'x-other': 'left out' },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}

const countKeys = async () => (await redis.redis.keys('*inbox*')).length

test('the webhook of a run arrives byte by byte, with the headers that are signed', async () => {
  expect(await post(inbox.toUrl('step'), '{"a": 1}\n')).toEqual({
    status: 200,
    body: { received: true },
  })
  const [delivery] = await inbox.list('step')
  expect(delivery).toMatchObject({ url: inbox.toUrl('step'), status: 200 })
  expect(Buffer.from(delivery!.body, 'base64').toString()).toBe('{"a": 1}\n')
  expect(Object.keys(delivery!.headers).sort()).toEqual([
    'content-length',
    'content-type',
    'signature',
  ])
  expect(await inbox.list('other')).toEqual([])
})

test('the first webhooks of a step are refused if its storyboard says so', async () => {
  const statuses = []
  for (let attempt = 0; attempt < 3; attempt++) {
    statuses.push((await post(inbox.toUrl('retried'))).status)
  }
  expect(statuses).toEqual([503, 503, 200])
  expect((await inbox.list('retried')).map(({ status }) => status)).toEqual(statuses)
})

test('nobody fills an inbox that no run has opened', async () => {
  const before = await countKeys()
  const other = `${BASE}/webhooks/storyboards/${'a'.repeat(43)}/step`
  expect((await post(other)).status).toBe(404)
  expect((await post(`${BASE}/webhooks/storyboards/short/step`)).status).toBe(404)
  expect((await post(inbox.toUrl(encodeURIComponent('no step')))).status).toBe(404)
  expect(await countKeys()).toBe(before)
})

test('a webhook is bounded in bytes, and a run in webhooks', async () => {
  expect((await post(inbox.toUrl('step'), Buffer.alloc(BYTES_MAX + 1, '1'))).status).toBe(413)
  const statuses = new Set<number>()
  for (let count = 0; count < 41; count++) statuses.add((await post(inbox.toUrl('many'))).status)
  expect([...statuses]).toEqual([200, 429])
  expect((await inbox.list('many')).length).toBeLessThanOrEqual(40)
})

test('an inbox ends with its run', async () => {
  const url = inbox.toUrl('step')
  await inbox.close()
  expect((await post(url)).status).toBe(404)
  expect(await countKeys()).toBe(0)
})
