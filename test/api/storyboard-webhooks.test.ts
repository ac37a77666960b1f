import { once } from 'node:events'
import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { parseRedisInfo } from '../../jobs/api-client/redis-info.ts'
import { createOpenInbox } from '../../jobs/api-client/webhook-inboxes.ts'
import type { WebhookInbox } from '../../pipeline/storyboards/webhook-inbox.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openRegistry } from '../support/registry/app.ts'
import { cleanUp } from '../support/registry/registry.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const BASE = 'https://registry.example'
const BYTES_MAX = 64 * 1024

const redis = openForAll(startRedis)
const registry = openForAll(() => openRegistry({ redis: redis.redis }))
let inbox: WebhookInbox

beforeAll(async () => {
  inbox = await createOpenInbox(
    redis.redis,
    BASE,
  )(new Map([['retried', { count: 2, status: 503 }]]))
})

async function post(url: string, payload: string | Buffer = '{"a":1}') {
  const answer = await registry.send('POST', url.replace(BASE, ''), {
    headers: { 'content-type': 'application/json', signature: 'sig=:AA:', 'x-other': 'left out' },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}

const openInbox = () => createOpenInbox(redis.redis, BASE)(new Map())
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

test('a webhook that no run waits for is refused before its body arrives', async () => {
  const origin = await registry.app.listen({ port: 0, host: '127.0.0.1' })
  const options = { method: 'POST', headers: { 'content-length': BYTES_MAX } }
  for (const path of [`${'b'.repeat(43)}/step`, 'short/step']) {
    const sending = request(`${origin}/webhooks/storyboards/${path}`, options)
    sending.on('error', () => undefined).flushHeaders()
    const [answer] = await once(sending, 'response')
    expect(answer.statusCode).toBe(404)
    sending.destroy()
  }
})

test('an address may send so many webhooks in a minute, and unknown ones store nothing', async () => {
  const limited = await openRegistry({
    redis: redis.redis,
    limits: { storyboardWebhooksPerMinute: 2 },
  })
  cleanUp(() => limited.close())
  const sendFrom = async (remoteAddress: string, url: string) => {
    const path = url.replace(BASE, '')
    const sent = { method: 'POST', url: path, remoteAddress, payload: {} } as const
    return limited.app.inject(sent)
  }
  const before = await redis.redis.dbsize()
  const unknown = `/webhooks/storyboards/${'c'.repeat(43)}/step`
  for (let count = 0; count < 4; count++)
    expect((await sendFrom('192.0.2.1', unknown)).statusCode).toBe(404)
  expect(await redis.redis.dbsize()).toBe(before)
  const own = await openInbox()
  const answers = []
  for (let count = 0; count < 3; count++)
    answers.push(await sendFrom('192.0.2.1', own.toUrl('step')))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429])
  expect(Number(answers[2]!.headers['retry-after'])).toBeGreaterThan(0)
  expect((await sendFrom('192.0.2.2', own.toUrl('step'))).statusCode).toBe(200)
  expect(await own.list('step')).toHaveLength(3)
  await own.close()
})

test('a webhook is refused while Redis has no room for what strangers send', async () => {
  const own = await openInbox()
  const { usedBytes } = parseRedisInfo(await redis.redis.info())
  await redis.redis.config('SET', 'maxmemory', String(Math.ceil(usedBytes * 1.2)))
  // It reads anew what Redis says.
  const full = await openRegistry({ redis: redis.redis })
  cleanUp(async () => {
    await redis.redis.config('SET', 'maxmemory', '0')
    await full.close()
  })
  const url = own.toUrl('step').replace(BASE, '')
  const answer = await full.app.inject({ method: 'POST', url, payload: {} })
  expect([answer.statusCode, answer.json().code]).toEqual([429, 'rate_limited'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(await own.list('step')).toEqual([])
  await own.close()
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
