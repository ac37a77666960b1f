import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../api/routes/index.ts'
import { parseRedisInfo } from '../../jobs/api-client/redis-info.ts'
import { type ListedRoute, listRoutes } from '../support/checks/listed-routes.ts'
import { type ApiRequest, operationRequests } from '../support/clients/operation-requests.ts'
import {
  buildAuthorizeUrl,
  CALLBACK,
  openWithSignIn,
  register,
} from '../support/clients/signing-in.ts'
import { startRedis } from '../support/processes/redis.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const MiB = 1024 * 1024
/** Memory of Redis that strangers may fill, in this test. */
const STRANGERS_BYTES = 4 * MiB
/** Requests to each door. At 14.7 KB each, what one of them stored was more than Redis may hold here. */
const FLOOD = 300

const redis = openForAll(startRedis)
const registry = openForAll(() =>
  openWithSignIn({
    redis: redis.redis,
    limits: {
      clientRegistrationsPerHourInAll: 100,
      signInFormsPerHour: 200,
      checkReportsBytes: MiB,
      draftsBytes: MiB,
      savesPerHour: 1_000,
      savesPerOrganizationHour: 1_000,
      savesPerOrganizationDay: 1_000,
    },
  }),
)
let client_id: string
let key: string
let baseBytes: number

const readInfo = async () => parseRedisInfo(await redis.redis.info())

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  await registry.publish()
  client_id = (await register(registry)).client_id!
  baseBytes = (await readInfo()).usedBytes
  await redis.redis.config('SET', 'maxmemory', String(baseBytes + 2 * STRANGERS_BYTES))
})

let saves = 0
const save = () =>
  registry.send('POST', '/api/brands/save', {
    key,
    payload: { domain: 'acme.example', brand_name: `Acme ${++saves}` },
  })

let strangers = 0
/** Returns an address that sent no request yet. */
const nextAddress = () => `2001:db8:${(++strangers).toString(16)}::1`

/** Begins a sign-in from a new address, with as much as an application may send. */
async function beginSignIn() {
  const url = buildAuthorizeUrl({
    client_id,
    code_challenge: 'a'.repeat(43),
    state: crypto.randomUUID().repeat(50),
    nonce: crypto.randomUUID().repeat(10),
  })
  const { headers, cookies } = await registry.app.inject({ url, remoteAddress: nextAddress() })
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return { uid: /\/sign-in\/([\w-]+)/.exec(String(headers.location))?.[1] ?? 'x', cookie }
}

/** Finds a request of an operation that it answers, or else any. */
function findRequest({ method, path }: ListedRoute): ApiRequest {
  const operation = operations.find(known => known.method === method && known.path === path)
  const requests = Object.values(operationRequests[operation?.id ?? ''] ?? {})
  const isPlain = (request: unknown): request is ApiRequest => typeof request === 'object'
  return requests.find(isPlain) ?? {}
}

/** Sends what a stranger may send to a route, from a new address. */
async function sendAsStranger(route: ListedRoute) {
  const { params = [], query, payload, headers } = findRequest(route)
  const values = [params].flat()
  const hasSignIn = route.path.includes(':uid')
  const { uid, cookie } = hasSignIn ? await beginSignIn() : { uid: '', cookie: '' }
  const path = route.path.replace('*', 'x').replace(/:(\w+)/g, (_, name) => {
    return name === 'uid' ? uid : (values.shift() ?? 'x')
  })
  const isOwn = /^\/(?:sign-in|authorize|token|register|revoke|workshop)/.test(path)
  const form = new URLSearchParams({
    email: `${crypto.randomUUID()}@stranger.example`,
    token: 'x'.repeat(43),
    credential: '{}',
    client_id,
    kind: 'adagents.json',
    domain: 'stranger.example',
    text: JSON.stringify({
      authorized_agents: [],
      properties: [
        {
          property_type: 'website',
          name: 'Stranger',
          identifiers: [{ type: 'domain', value: 'stranger.example' }],
        },
      ],
      last_updated: '2026-01-01T00:00:00Z',
      ext: { filler: crypto.randomUUID().repeat(100) },
    }),
    do: 'publish',
    grant_type: 'authorization_code',
    code: 'x'.repeat(43),
  })
  const body = path === '/register' ? { redirect_uris: [CALLBACK] } : isOwn ? String(form) : payload
  const type = typeof body === 'string' && 'application/x-www-form-urlencoded'
  return registry.app.inject({
    method: route.method as 'GET',
    url: query === undefined ? path : `${path}?${query}`,
    remoteAddress: nextAddress(),
    headers: { cookie, ...(type && { 'content-type': type }), ...headers },
    ...(route.method !== 'GET' && body !== undefined && { payload: body }),
  })
}

const countKeys = () => redis.redis.dbsize()

describe('strangers', () => {
  test('fill a stated part of Redis at most, by every route there is, while saves go on', async () => {
    const routes = (await listRoutes(registry.app)).filter(
      ({ method, path }) => ['GET', 'POST'].includes(method) && !path.includes('stream'),
    )
    expect(routes.length).toBeGreaterThan(100)
    const doors: ListedRoute[] = []
    for (const route of routes) {
      const before = await countKeys()
      for (let attempt = 0; attempt < 2; attempt++) await sendAsStranger(route)
      if ((await countKeys()) > before) doors.push(route)
    }
    const found = doors.map(({ method, path }) => `${method} ${path}`)
    const known = ['POST /sign-in/:uid/link', 'POST /workshop', 'POST /api/properties/check']
    expect(found).toEqual(expect.arrayContaining(known))
    const [authorize] = routes.filter(({ path }) => path === '/authorize')
    for (const door of [...doors, authorize!]) {
      for (let sent = 0; sent < FLOOD; sent += 50) {
        const batch = Array.from({ length: 50 }, () =>
          door === authorize ? beginSignIn() : sendAsStranger(door),
        )
        await Promise.all(batch)
      }
      expect([door.path, (await save()).statusCode]).toEqual([door.path, 200])
      const grown = (await readInfo()).usedBytes - baseBytes
      expect([door.path, grown < STRANGERS_BYTES]).toEqual([door.path, true])
    }
  })

  test('store nothing by beginning a sign-in, whatever they send with it', async () => {
    const isStored = (name: string) => !name.includes(':limit:')
    const before = (await redis.redis.keys('*')).filter(isStored).sort()
    for (let i = 0; i < 20; i++) {
      const { uid, cookie } = await beginSignIn()
      const headers = { cookie }
      const page = await registry.app.inject({ url: `/sign-in/${uid}`, headers })
      expect(page.statusCode).toBe(200)
    }
    expect((await redis.redis.keys('*')).filter(isStored).sort()).toEqual(before)
  })
})

/** Fills Redis up to a share of its memory. */
async function fillUpTo(share: number): Promise<void> {
  const { usedBytes, maxBytes } = await readInfo()
  const missing = Math.floor(maxBytes * share) - usedBytes
  await redis.redis.setrange(`filler:${share}`, Math.max(missing - 64 * 1024, 1), 'x')
  // A reading is valid for a second.
  await new Promise(resolve => setTimeout(resolve, 1_100))
}

const sendForm = async (step: string) => {
  const { uid, cookie } = await beginSignIn()
  const url = `/sign-in/${uid}/${step}`
  const payload = new URLSearchParams({ email: 'ann@acme.example' }).toString()
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  return registry.app.inject({ method: 'POST', url, headers, payload })
}

describe('as Redis fills', () => {
  const check = () =>
    registry.send('POST', '/api/properties/check', { payload: { domains: ['www.acme.example'] } })

  test('sign-in and counters of strangers are refused first, and saves go on', async () => {
    expect((await sendForm('link')).statusCode).toBe(429)
    await redis.redis.flushall()
    expect((await sendForm('link')).statusCode).toBe(200)
    expect((await check()).json().report_id).toBeTruthy()
    await fillUpTo(0.85)
    const refused = [
      await sendForm('link'),
      await registry.app.inject({ method: 'POST', url: '/register', payload: {} }),
      await registry.app.inject({ method: 'POST', url: '/token', payload: {} }),
    ]
    for (const { statusCode, headers } of refused) {
      expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
    }
    const before = await countKeys()
    const payload = { domains: ['acme.example'] }
    const url = '/api/brands/resolve/bulk'
    const bulk = await registry.app.inject({ method: 'POST', url, payload, remoteAddress: '::2' })
    expect(bulk.statusCode).toBe(200)
    expect((await check()).statusCode).toBe(200)
    expect(await countKeys()).toBe(before)
    expect((await save()).statusCode).toBe(200)
  })

  test('and is full, nothing that needs it answers with 500, and reads go on', async () => {
    await redis.redis.config('SET', 'maxmemory', '1')
    expect([200, 503]).toContain((await save()).statusCode)
    const answers = [
      await sendForm('link'),
      await sendForm('passkey'),
      await registry.app.inject({ method: 'POST', url: '/register', payload: {} }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503])
    const { statusCode } = await registry.app.inject('/api/brands/resolve?domain=acme.example')
    expect(statusCode).toBe(200)
  })
})
