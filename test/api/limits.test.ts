import { createHash, randomUUID } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { operations } from '../../api/routes/index.ts'
import { HOUR, MINUTE } from '../../pipeline/core/clock.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openRegistry, type RegistryOptions, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const redis = openForAll(startRedis)
const opened: TestRegistry[] = []

afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close()
  await redis.redis.flushall()
})

async function open(options: RegistryOptions = {}): Promise<TestRegistry> {
  const registry = await openRegistry({ redis: redis.redis, ...options })
  opened.push(registry)
  return registry
}

/** Reads the limit that an answer states in the draft's headers, and the seconds for which it refuses. */
function readLimit({ headers, body, statusCode }: LightMyRequestResponse) {
  const number = (name: string) => Number(headers[`ratelimit-${name}`])
  const refused = statusCode === 429 && {
    reset: number('reset'),
    header: Number(headers['retry-after']),
    body: (JSON.parse(body) as { retry_after: number }).retry_after,
  }
  return {
    status: statusCode,
    policy: headers['ratelimit-policy'],
    limit: number('limit'),
    remaining: number('remaining'),
    ...(refused && { refused }),
  }
}

/** Expects the same number of seconds wherever an answer states it. */
const for_ = (seconds: number) => ({ reset: seconds, header: seconds, body: seconds })

test('the numbers are those of the specification', () => {
  expect(limits).toMatchObject({
    bulkResolvePerMinute: 20,
    crawlRequestDomainSeconds: 5 * 60,
    crawlRequestsPerHour: 30,
    savesPerHour: 60,
    savesPerOrganizationHour: 60,
    savesPerOrganizationDay: 200,
    challengeMinutes: 15,
    proofDays: 90,
    feedRetentionDays: 90,
  })
})

test('only bulk operations (by address) and edits of entries (by user) are limited', () => {
  const ids = (having: 'limit' | 'quota') =>
    operations.flatMap(operation => (operation[having] === undefined ? [] : [operation.id])).sort()
  expect(ids('limit')).toEqual([
    'resolveBrandsBulk',
    'resolvePropertiesBulk',
    'validateAuthorizations',
  ])
  expect(ids('quota')).toEqual(
    expect.arrayContaining(['rollBackBrand', 'rollBackProperty', 'saveBrand', 'saveProperty']),
  )
  for (const { quota, path } of operations) {
    if (quota) expect(path).toMatch(/^\/api\/(brands|properties)\//)
  }
})

test('operations outside the table are not limited', async () => {
  const registry = await open()
  const key = await registry.createKey('Asking')
  const urls = ['/api/brands/registry', '/api/registry/agents/search', '/api/registry/feed']
  for (const url of [
    ...urls,
    '/api/brands/resolve?domain=acme.example',
    '/api/policies/registry',
  ]) {
    const asked = Array.from({ length: 100 }, () =>
      registry.app.inject({ url, headers: { authorization: `Bearer ${key}` } }),
    )
    const statuses = new Set((await Promise.all(asked)).map(({ statusCode }) => statusCode))
    expect(statuses.has(429), url).toBe(false)
    expect(statuses.size).toBe(1)
  }
})

describe.each(['brands', 'properties'])('POST /api/%s/resolve/bulk', kind => {
  const bulk = (registry: TestRegistry, remoteAddress: string, more: object = {}) =>
    registry.app.inject({
      method: 'POST',
      url: `/api/${kind}/resolve/bulk`,
      remoteAddress,
      payload: { domains: ['a.example'] },
      ...more,
    })
  const repeated = async (times: number, ...asked: Parameters<typeof bulk>) => {
    let last = await bulk(...asked)
    for (let i = 1; i < times; i++) last = await bulk(...asked)
    return readLimit(last)
  }
  const behind = (forwarded: string) => ({ headers: { 'x-forwarded-for': forwarded } })

  test('allows twenty requests a minute per address, and says when to retry', async () => {
    const registry = await open()
    const limited = { policy: '20;w=60', limit: 20 }
    expect(await repeated(1, registry, '203.0.113.7')).toMatchObject({
      status: 200,
      ...limited,
      remaining: 19,
    })
    expect(await repeated(19, registry, '203.0.113.7')).toMatchObject({ status: 200, remaining: 0 })
    const refused = await repeated(1, registry, '203.0.113.7')
    const { reset } = refused.refused as { reset: number }
    expect(refused).toEqual({ status: 429, ...limited, remaining: 0, refused: for_(reset) })
    expect([reset > 30, reset <= 60]).toEqual([true, true])
    expect(await repeated(1, registry, '203.0.113.8')).toMatchObject({ status: 200 })
  })

  test('allows a hundred domains per request', async () => {
    const registry = await open()
    const domains = Array.from({ length: 101 }, (_, i) => `d${i}.example`)
    const ask = (some: string[]) => bulk(registry, '203.0.113.7', { payload: { domains: some } })
    expect((await ask(domains.slice(1))).statusCode).toBe(200)
    expect((await ask(domains)).statusCode).toBe(400)
  })

  test('counts an IPv6 network as one address', async () => {
    const registry = await open({ limits: { bulkResolvePerMinute: 1 } })
    expect(await repeated(1, registry, '2001:db8:1:2::3')).toMatchObject({ status: 200 })
    expect(await repeated(1, registry, '2001:db8:1:2:ffff::4')).toMatchObject({ status: 429 })
    expect(await repeated(1, registry, '2001:db8:1:3::3')).toMatchObject({ status: 200 })
  })

  test('ignores addresses that callers claim', async () => {
    const registry = await open({ limits: { bulkResolvePerMinute: 2 } })
    const statuses: number[] = []
    for (let i = 1; i < 5; i++) {
      const answer = await bulk(registry, '203.0.113.7', behind(`198.51.100.${i}`))
      statuses.push(answer.statusCode)
    }
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  test('trusts the configured proxies, and takes the last address before them', async () => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' }
    const registry = await open({ settings, limits: { bulkResolvePerMinute: 1 } })
    const status = async (address: string, forwarded: string) =>
      (await bulk(registry, address, behind(forwarded))).statusCode
    expect(await status('127.0.0.1', '198.51.100.1')).toBe(200)
    expect(await status('127.0.0.1', '198.51.100.2')).toBe(200)
    expect(await status('10.9.9.9', '198.51.100.1')).toBe(429)
    expect(await status('127.0.0.1', '192.0.2.66, 198.51.100.1')).toBe(429)
    expect(await status('127.0.0.1', '192.0.2.66, 198.51.100.1, 10.1.2.3')).toBe(429)
    expect(await status('::ffff:127.0.0.1', '198.51.100.1:4711')).toBe(429)
    expect(await status('203.0.113.7', '198.51.100.3')).toBe(200)
    expect(await status('203.0.113.7', '198.51.100.4')).toBe(429)
  })
})

describe('saves', () => {
  async function key(registry: TestRegistry, org: string): Promise<string> {
    const secret = `sk_${randomUUID()}`
    const hash = createHash('sha256').update(secret).digest('hex')
    await registry.submit({ op: 'key.create', key_id: randomUUID(), org, label: '', hash })
    return secret
  }

  const paths = ['/api/brands/save', '/api/properties/save']

  async function save(
    registry: TestRegistry,
    secret: string,
    { times = 1, payload = {} }: { times?: number; payload?: object } = {},
  ) {
    const answers: LightMyRequestResponse[] = []
    for (let i = 0; i < times; i++) {
      const headers = { authorization: `Bearer ${secret}` }
      answers.push(
        await registry.app.inject({ method: 'POST', url: paths[i % 2]!, headers, payload }),
      )
    }
    return answers.map(readLimit)
  }

  test('are sixty an hour per user, of both kinds together, whatever their result', async () => {
    const registry = await open()
    const ann = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
    const payload = { domain: 'acme.example', brand_name: 'Acme' }
    const [saved] = await save(registry, ann, { payload })
    expect(saved).toEqual({ status: 200, policy: '60;w=3600', limit: 60, remaining: 59 })
    registry.clock.tick(MINUTE)
    const refused = await save(registry, ann, { times: 59 })
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]))
    expect(refused.at(-1)).toMatchObject({ remaining: 0 })
    expect(await save(registry, ann, { payload })).toMatchObject([
      { status: 429, limit: 60, remaining: 0, refused: for_(3_540) },
    ])
    const beth = await registry.createKey('Other')
    expect(await save(registry, beth)).toMatchObject([{ status: 400, remaining: 59 }])
    registry.clock.tick(HOUR - MINUTE)
    expect(await save(registry, ann, { payload })).toMatchObject([{ status: 200, remaining: 0 }])
    expect(await save(registry, ann, { payload })).toMatchObject([{ refused: for_(60) }])
  })

  test('are sixty an hour and two hundred a day for all users of an organization', async () => {
    const registry = await open()
    await registry.createKey('Acme')
    const keys = await Promise.all(Array.from({ length: 4 }, () => key(registry, 'Acme')))
    await save(registry, keys[0]!, { times: 30 })
    expect((await save(registry, keys[1]!, { times: 30 })).at(-1)).toMatchObject({
      status: 400,
      limit: 60,
      remaining: 0,
    })
    expect(await save(registry, keys[2]!)).toMatchObject([{ status: 429, refused: for_(3_600) }])
    for (const times of [60, 60, 20]) {
      registry.clock.tick(HOUR)
      const answers = await save(registry, keys[3]!, { times })
      expect(answers.at(-1)).toMatchObject({ status: 400 })
    }
    expect(await save(registry, keys[3]!)).toEqual([
      {
        status: 429,
        policy: '200;w=86400',
        limit: 200,
        remaining: 0,
        refused: for_(21 * 3_600),
      },
    ])
  })

  test('refused by two windows report the longer wait', async () => {
    const registry = await open({ limits: { savesPerHour: 1, savesPerOrganizationDay: 1 } })
    const secret = await registry.createKey('Acme')
    await save(registry, secret)
    expect(await save(registry, secret)).toMatchObject([{ refused: for_(24 * 3_600) }])
  })
})
