import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FeedEvent } from '../../pipeline/model/event.ts'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
  waitUntil,
} from '../support/processes/command.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import {
  makeRegistryKey,
  openReceivers,
  type Receivers,
} from '../support/servers/webhook-receivers.ts'

const SAVES = 20
const PROPERTIES = 25
const folder = makeTemporaryFolder()
const key = makeRegistryKey()
let redis: TestRedis
let receivers: Receivers
let env: Environment
let base: string
let secret: string
const roles: Command[] = []

function run(role: string): Command {
  const command = new Command([role], env)
  roles.push(command)
  return command
}

async function ask(method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  return { status: answer.status, body: (await answer.json()) as any }
}

beforeAll(async () => {
  redis = await startRedis()
  receivers = await openReceivers(key.path)
  const port = await findFreePort()
  base = `http://127.0.0.1:${port}`
  env = {
    DATA_DIR: folder.path,
    REDIS_URL: redis.url,
    PORT: String(port),
    CRAWL_CONNECT_TO: receivers.url,
    REGISTRY_SIGNING_KEYS: key.path,
    REQUIRE_OWNERSHIP_PROOF: 'false',
    LOG_LEVEL: 'warn',
    LIMITS: JSON.stringify({
      deliveryEvents: 5,
      savesPerHour: 1_000,
      savesPerOrganizationHour: 1_000,
      savesPerOrganizationDay: 1_000,
      siteRequestsPerMinute: 1_000_000,
      addressRequestsPerMinute: 1_000_000,
    }),
  }
  await runForOutput(['org', 'create', '--name', 'Acme'], env)
  secret = await runForOutput(['key', 'create', '--org', 'Acme'], env)
  for (const role of ['api', 'indexer', 'crawler']) run(role)
  await waitUntil(async () => {
    const ready = await fetch(`${base}/readyz`).catch(() => undefined)
    return ready?.status === 200
  })
})

afterAll(async () => {
  for (const role of roles) await role.interrupt()
  await redis.close()
  await receivers.close()
  folder.remove()
  key.remove()
})

/** Subscribes a receiver once there is a crawler to ask it. */
async function subscribe(host: string) {
  const receiver = receivers.add(host)
  let id = ''
  await waitUntil(async () => {
    const made = await ask('POST', '/api/registry/subscriptions', { url: receiver.url })
    id = made.body.subscription_id
    return made.status === 201
  })
  return { receiver, id }
}

async function save(number: number): Promise<void> {
  const properties = Array.from({ length: PROPERTIES }, (_, n) => ({
    type: 'website',
    name: `Site ${n}`,
    identifiers: [{ type: 'domain', value: `s${n}.saved-${number}.example` }],
  }))
  const body = { publisher_domain: `saved-${number}.example`, properties }
  const saved = await ask('POST', '/api/properties/save', body)
  expect(saved.status, JSON.stringify(saved.body)).toBe(200)
}

async function readFeed(cursor: string): Promise<string[]> {
  const page = await ask('GET', `/api/registry/feed?limit=10000&cursor=${cursor}`)
  return page.body.events.map(({ event_id }: FeedEvent) => event_id)
}

test('no event is lost or overtaken however often the process that delivers is killed', async () => {
  const { receiver, id } = await subscribe('receiver.example')
  const dead = await subscribe('dead.example')
  dead.receiver.fails = 'hang'
  const { cursor } = (await ask('GET', `/api/registry/subscriptions/${id}`)).body
  let push = run('push')
  for (let number = 0; number < SAVES; number++) {
    await save(number)
    if (number % 4 !== 3) continue
    await pause(50 * number)
    push.child.kill('SIGKILL')
    push = run('push')
  }
  const events = await readFeed(cursor)
  expect(events.length).toBeGreaterThanOrEqual(SAVES * PROPERTIES)
  const taken = () => receiver.listEvents().map(({ event_id }) => event_id)
  await expect.poll(() => new Set(taken()).size, { timeout: 120_000 }).toBe(events.length)
  expect([...new Set(taken())]).toEqual(events)
  await waitUntil(async () => {
    const { body } = await ask('GET', `/api/registry/subscriptions/${id}`)
    return body.status === 'active' && body.cursor === events.at(-1)
  })
  const log = await ask('GET', `/api/registry/subscriptions/${id}/deliveries`)
  expect(log.body.deliveries[0]).toMatchObject({ delivered: true, status: 200 })
  expect(dead.receiver.webhooks).toEqual([])
  const tested = await ask('POST', `/api/registry/subscriptions/${id}/test`)
  expect(tested.body).toMatchObject({ delivered: true, status: 200 })
})

test('a second delivering process waits on standby and takes over', async () => {
  const { receiver } = await subscribe('handed-over.example')
  const first = roles.findLast(({ child }) => child.spawnargs.includes('push'))!
  run('push')
  await save(100)
  await expect.poll(() => receiver.listEvents().length, { timeout: 60_000 }).toBeGreaterThan(0)
  const before = receiver.listEvents().length
  first.child.kill('SIGKILL')
  await save(101)
  await expect
    .poll(() => receiver.listEvents().length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(before + PROPERTIES)
})
