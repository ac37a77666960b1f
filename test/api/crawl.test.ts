import { createHash, randomUUID } from 'node:crypto'
import { RegistryClient } from '@adcp/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWriterClient, type WriterClient } from '../../jobs/api-client/writer-client.ts'
import { runCrawler } from '../../jobs/crawler/crawler.ts'
import type { Role } from '../../jobs/process-role.ts'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { MINUTE, systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import type { Answer } from '../../pipeline/model/submission.ts'
import { runWithin } from '../support/checks/measured-work.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { startRedis } from '../support/processes/redis.ts'
import {
  answerAllPublic,
  openRegistry,
  type RegistryOptions,
  type TestRegistry,
} from '../support/registry/app.ts'
import { generousTimeouts } from '../support/registry/generous-limits.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { serveNames } from '../support/servers/name-server.ts'
import { crawlDue } from '../support/worlds/crawling.ts'

const PUBLIC = { A: ['93.184.216.34'] }
const LOOKUP_MS = 1_000
const paths = {
  domain: '/api/registry/crawl-request',
  brand: '/api/registry/brand-crawl-request',
  manager: '/api/registry/manager-revalidation-request',
} as const

const names = openForAll(serveNames)
const redis = openForAll(startRedis)
let crawler: Role | undefined
let office: WriterClient
let opened: TestRegistry[] = []

/** Starts a crawler that uses the name server of this test, which answers whether names are public. */
function startCrawler(): Promise<Role> {
  const config = readConfig({ DNS_SERVER: names.address })
  return runCrawler(config, redis.url, systemClock, silentLog)
}

beforeAll(async () => {
  crawler = await startCrawler()
  office = openWriterClient(redis.url, silentLog, generousTimeouts)
})

beforeEach(async () => {
  names.zone = Object.fromEntries(
    ['news.example', 'a.example', 'one-more.example', 'xn--bcher-kva.example'].map(name => [
      name,
      PUBLIC,
    ]),
  )
  const keys = await redis.redis.keys(`${REDIS_PREFIX}:crawl:*`)
  const counts = keys.filter(key => /:crawl:(target|user):/.test(key))
  if (counts.length > 0) await redis.redis.del(counts)
})

afterEach(async () => {
  for (const registry of opened) await registry.close()
  opened = []
})

afterAll(async () => {
  await crawler?.close()
  await office.close()
})

/** Opens a registry with its own writer, which lets the crawler look up names, and a caller. */
async function open({ writer, ...options }: RegistryOptions = {}) {
  const send: WriterClient['requestLive'] = (request, ms) => office.requestLive(request, ms)
  const registry = await openRegistry({
    redis: redis.redis,
    writer: { requestLive: send, ...writer },
    ...options,
  })
  opened.push(registry)
  const token = await registry.createKey('Publishers')
  const post = (url: string, body: unknown, credential = token) =>
    registry.send('POST', url, { key: credential, payload: body as object })
  const ask = (body: unknown, credential = token) => post(paths.domain, body, credential)
  const status = (id: string, credential = token) =>
    registry.send('GET', `${paths.domain}/${id}`, { key: credential })
  return { registry, ask, post, status, token }
}

describe('POST /api/registry/crawl-request', () => {
  test('202: a request is accepted and gets an id', async () => {
    const { registry, ask } = await open()
    const answer = await ask({ domain: ' News.Example ' })
    expect(answer.statusCode).toBe(202)
    const body = answer.json()
    expect(body).toEqual({
      message: 'Crawl request accepted',
      domain: 'news.example',
      crawl_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(registry.submitted).toEqual([
      {
        op: 'crawl.request',
        crawl_request_id: body.crawl_request_id,
        scope: 'domain',
        domain: 'news.example',
        requested_by: expect.stringMatching(/^[0-9a-f-]{36}$/),
        org_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '30;w=3600',
      'ratelimit-limit': '30',
      'ratelimit-remaining': '29',
      'ratelimit-reset': '3600',
      location: `/api/registry/crawl-request/${body.crawl_request_id}`,
    })
  })

  test('202: a name in Unicode is the same as its A-labels', async () => {
    const { ask } = await open()
    expect((await ask({ domain: 'Bücher.example' })).json().domain).toBe('xn--bcher-kva.example')
  })

  test('429: a domain may be requested once in five minutes, by all callers together', async () => {
    const { registry, ask } = await open()
    const other = await registry.createKey('Others')
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
    const answer = await ask({ domain: 'NEWS.example' }, other)
    expect(answer.statusCode).toBe(429)
    expect(answer.json().error).toBe(
      'A crawl of news.example was requested a moment ago. Try again in 5 minutes.',
    )
    const { retry_after } = answer.json()
    expect(retry_after).toBeGreaterThan(290)
    expect(answer.headers).toMatchObject({
      'retry-after': String(retry_after),
      'ratelimit-policy': '1;w=300',
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(retry_after),
    })
  })

  test('429: names the request that is under way to those who may read it', async () => {
    const { registry, ask } = await open()
    const other = await registry.createKey('Others')
    const { crawl_request_id } = (await ask({ domain: 'news.example' })).json()
    const again = await ask({ domain: 'news.example' })
    expect([again.statusCode, again.json().crawl_request_id]).toEqual([429, crawl_request_id])
    const theirs = await ask({ domain: 'news.example' }, other)
    expect(theirs.statusCode).toBe(429)
    expect(theirs.json()).not.toHaveProperty('crawl_request_id')
  })

  test('429: a caller may make thirty requests an hour', async () => {
    const { registry, ask } = await open()
    const other = await registry.createKey('Others')
    for (let i = 0; i < 31; i++) names.zone[`d${i}.example`] = PUBLIC
    const asked = Array.from({ length: 31 }, (_, i) => ask({ domain: `d${i}.example` }))
    const statuses = (await Promise.all(asked)).map(answer => answer.statusCode)
    expect(statuses.filter(status => status === 202)).toHaveLength(30)
    const answer = await ask({ domain: 'one-more.example' })
    expect([answer.statusCode, answer.json().error]).toEqual([
      429,
      'No more than 30 crawl requests an hour. Try again in 60 minutes.',
    ])
    const { retry_after } = answer.json()
    expect(retry_after).toBeGreaterThan(3_500)
    expect(answer.headers).toMatchObject({
      'retry-after': String(retry_after),
      'ratelimit-limit': '30',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(retry_after),
    })
    expect((await ask({ domain: 'one-more.example' }, other)).statusCode).toBe(202)
  })

  test('429: a refused request costs nothing and opens no window', async () => {
    const { ask } = await open({ limits: { crawlRequestsPerHour: 2 } })
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
    const key = `${REDIS_PREFIX}:crawl:target:news.example`
    await redis.redis.expire(key, 100)
    expect((await ask({ domain: 'news.example' })).json().retry_after).toBeLessThanOrEqual(100)
    expect(await redis.redis.ttl(key)).toBeLessThanOrEqual(100)
    expect((await ask({ domain: 'a.example' })).statusCode).toBe(202)
    // Neither the domain nor the caller is free anymore: the later moment is told.
    expect((await ask({ domain: 'a.example' })).json().retry_after).toBeGreaterThan(3_500)
  })

  test('429: all keys of an organization are one caller', async () => {
    const { registry, ask } = await open({ limits: { crawlRequestsPerHour: 1 } })
    const secret = `sk_${randomUUID()}`
    const hash = createHash('sha256').update(secret).digest('hex')
    const key = { key_id: randomUUID(), org: 'Publishers', label: 'another', hash }
    await registry.submit({ op: 'key.create', ...key })
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
    expect((await ask({ domain: 'a.example' }, secret)).statusCode).toBe(429)
    const other = await registry.createKey('Others')
    expect((await ask({ domain: 'a.example' }, other)).statusCode).toBe(202)
  })

  test('of fifty requests for one domain at once one is accepted', async () => {
    const { registry, ask } = await open()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask({ domain: 'a.example' })),
    )
    expect(answers.filter(answer => answer.statusCode === 202)).toHaveLength(1)
    expect(answers.filter(answer => answer.statusCode === 429)).toHaveLength(49)
    expect(registry.submitted).toHaveLength(1)
  })

  test.each([
    [{}, '`domain` is required'],
    [{ domain: 7 }, '`domain` must be a string'],
    [{ domain: '' }, '`domain` must be a domain name such as acme.example'],
    [{ domain: 'localhost' }, '`domain` must be a domain name such as acme.example'],
    [{ domain: '10.0.0.1' }, '`domain` must be a domain name'],
    [{ domain: 'https://news.example:8080' }, '`domain` must be a domain name'],
    [{ domain: 'printer.local' }, '`domain` must be a domain on the public internet.'],
    [{ domain: 'printer.localdomain' }, '`domain` must be a domain on the public internet.'],
    [{ domain: 'db.prod.internal' }, '`domain` must be a domain on the public internet.'],
    [{ domain: 'news.ex4mple' }, '`domain` must be a domain on the public internet.'],
  ])('400: %j is refused and costs nothing', async (body, error) => {
    const { ask } = await open({ limits: { crawlRequestsPerHour: 1 } })
    names.asked = []
    const answer = await ask(body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
    expect(answer.json().error).not.toContain(';')
    expect(names.asked).toEqual([])
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
  })

  test('400: a name with a private address is refused like one that does not resolve', async () => {
    const { ask, registry } = await open({ limits: { crawlRequestsPerHour: 1 } })
    names.zone = {
      ...names.zone,
      'loop.example': { A: ['127.0.0.1'] },
      'ten.example': { A: ['93.184.216.34', '10.0.0.1'] },
      'shared.example': { A: ['100.64.0.1'] },
      'mapped.example': { AAAA: ['::ffff:169.254.169.254'] },
      'unique.example': { AAAA: ['fd00::1'] },
      'link.example': { AAAA: ['fe80::1'] },
      'zero.example': { A: ['0.0.0.0'] },
      'empty.example': {},
    }
    const refused = [...Object.keys(names.zone), 'nowhere.example', 'metadata.goog'].filter(
      name => names.zone[name] !== PUBLIC,
    )
    const answers = await runWithin(3_000, () =>
      Promise.all(refused.map(domain => ask({ domain }))),
    )
    expect(answers).toHaveLength(10)
    for (const answer of answers) {
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { error: '`domain` must be a domain on the public internet.', code: 'invalid_request' },
      ])
    }
    expect(registry.submitted).toEqual([])
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
  })

  test('400 comes before 429: an invalid request is reported also to a caller at its limit', async () => {
    const { ask } = await open({ limits: { crawlRequestsPerHour: 1 } })
    await ask({ domain: 'news.example' })
    const statuses = ['nowhere.example', 'not a domain', 'a.example'].map(domain => ask({ domain }))
    expect((await Promise.all(statuses)).map(({ statusCode }) => statusCode)).toEqual([
      400, 400, 429,
    ])
  })

  // These were 503: whoever asks for a crawl has nothing to do with the name server of the registry.
  test.each([
    ['fails', { fails: true }],
    ['says nothing', { silent: true }],
  ] as const)('202 within a second or two: while the name server %s', async (_, entry) => {
    const { ask, registry } = await open({ limits: { lookupMs: LOOKUP_MS } })
    const name = `trouble-${randomUUID()}.example`
    names.zone[name] = { ...entry }
    const answer = await runWithin(2 * LOOKUP_MS, () => ask({ domain: name }))
    expect([answer.statusCode, answer.json().domain]).toEqual([202, name])
    expect(registry.submitted).toMatchObject([{ domain: name }])
  })

  test('202: without a crawler, for then nothing is fetched either', async () => {
    const { ask, registry } = await open({ limits: { lookupMs: LOOKUP_MS } })
    await crawler?.close()
    try {
      const answer = await runWithin(2 * LOOKUP_MS, () => ask({ domain: 'news.example' }))
      expect(answer.statusCode).toBe(202)
      expect(registry.submitted).toHaveLength(1)
    } finally {
      crawler = await startCrawler()
    }
  })

  test('503: a request that is not accepted returns its place', async () => {
    let isAway = true
    const writer = {
      async submit(): Promise<Answer> {
        if (isAway) throw new PublicError('unavailable', 'Try again.', { retry_after: 5 })
        return { done: {} }
      },
    }
    const { ask } = await open({ writer, limits: { crawlRequestsPerHour: 1 } })
    const answer = await ask({ domain: 'news.example' })
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      { error: 'Try again.', retry_after: 5, code: 'unavailable' },
    ])
    expect(answer.headers['retry-after']).toBe('5')
    isAway = false
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
  })

  test('400: a refusal of the sequencer is passed on and costs nothing', async () => {
    const writer = {
      submit: async (): Promise<Answer> => ({ refused: 'The domain was taken down.' }),
    }
    const { ask } = await open({ writer, limits: { crawlRequestsPerHour: 1 } })
    for (let i = 0; i < 2; i++) {
      const answer = await ask({ domain: 'news.example' })
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'The domain was taken down.'])
    }
  })

  test('401: without a credential nothing is checked', async () => {
    const { ask } = await open()
    const answer = await ask('not even JSON', 'sk_nobody')
    expect(answer.statusCode).toBe(401)
  })
})

describe('GET /api/registry/crawl-request/{id}', () => {
  test('200: the requester sees the request from its acceptance to its end', async () => {
    const { registry, ask, status } = await open()
    const id = (await ask({ domain: 'news.example' })).json().crawl_request_id
    const queued = await status(id)
    expect(queued.statusCode).toBe(200)
    expect(queued.headers['cache-control']).toBe('private, no-store')
    expect(queued.json()).toMatchObject({
      crawl_request_id: id,
      domain: 'news.example',
      status: 'queued',
      attempts: 0,
      max_attempts: 5,
      started_at: null,
      completed_at: null,
      outcome: [{ file: 'brand.json', outcome: null }, { file: 'adagents.json' }],
    })
    await crawlDue(registry, {
      'brand.json news.example': 'timeout',
      'adagents.json news.example': { authorized_agents: [] },
    })
    expect((await status(id)).json()).toMatchObject({
      status: 'retrying',
      attempts: 1,
      last_error_code: 'timeout',
      completed_at: null,
      next_attempt_at: new Date(registry.clock.now() + MINUTE).toISOString(),
      outcome: [{ outcome: 'timeout' }, { outcome: 'ok', http_status: 200 }],
    })
    registry.clock.tick(MINUTE)
    expect((await status(id)).json()).toMatchObject({ status: 'running', next_attempt_at: null })
    await crawlDue(registry, {})
    expect((await status(id.toUpperCase())).json()).toMatchObject({
      status: 'completed',
      attempts: 2,
      last_error_code: null,
      next_attempt_at: null,
      completed_at: new Date(registry.clock.now()).toISOString(),
    })
  })

  test('404: a request of another organization looks like none', async () => {
    const { registry, ask, status } = await open()
    const id = (await ask({ domain: 'news.example' })).json().crawl_request_id
    const other = await registry.createKey('Others')
    const [theirs, none] = [await status(id, other), await status(randomUUID())]
    expect([theirs.statusCode, theirs.json()]).toEqual([404, none.json()])
    expect(none.statusCode).toBe(404)
  })

  test('200: another key of the same organization sees it', async () => {
    const { registry, ask, status } = await open()
    const id = (await ask({ domain: 'news.example' })).json().crawl_request_id
    const sibling = await registry.createKey('Publishers')
    expect((await status(id, sibling)).statusCode).toBe(200)
  })

  test('200: an admin sees requests of any organization, a moderator does not', async () => {
    const { registry, ask, status } = await open()
    const id = (await ask({ domain: 'news.example' })).json().crawl_request_id
    for (const [role, code] of [
      ['moderator', 404],
      ['admin', 200],
    ] as const) {
      const holder = await registry.createKey(role)
      const key = await registry.sequencer.accounts.db.one<{ key_id: string }>(
        'select key_id from api_keys join organizations using (org_id) where name = $role',
        { role },
      )
      await registry.submit({ op: 'role.grant', role, holder: 'key', id: key!.key_id })
      expect((await status(id, holder)).statusCode).toBe(code)
      expect((await status(randomUUID(), holder)).statusCode).toBe(404)
    }
  })

  test('400: an invalid id, and 401: no credential', async () => {
    const { status } = await open()
    expect((await status('7')).statusCode).toBe(400)
    expect((await status('7')).json().error).toContain('`id` ')
    expect((await status(randomUUID(), 'sk_nobody')).statusCode).toBe(401)
  })
})

describe('POST /api/registry/brand-crawl-request', () => {
  test('202: only the brand.json is fetched', async () => {
    const { registry, post, status } = await open()
    const answer = await post(paths.brand, { domain: 'News.example' })
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      {
        message: 'Brand crawl request accepted',
        domain: 'news.example',
        crawl_request_id: expect.any(String),
      },
    ])
    await crawlDue(registry, {})
    expect((await status(answer.json().crawl_request_id)).json()).toMatchObject({
      status: 'completed',
      outcome: [{ file: 'brand.json', outcome: 'absent' }],
    })
  })

  test('429: shares the window of the domain with crawls of both files', async () => {
    const { ask, post } = await open()
    expect((await post(paths.brand, { domain: 'news.example' })).statusCode).toBe(202)
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(429)
    expect((await ask({ domain: 'a.example' })).statusCode).toBe(202)
    expect((await post(paths.brand, { domain: 'a.example' })).statusCode).toBe(429)
  })
})

describe('POST /api/registry/manager-revalidation-request', () => {
  test('202: reports how many publishers depend on the manager, or that none does', async () => {
    const { registry, post, status } = await open()
    const pointer = { authoritative_location: 'https://a.example/.well-known/adagents.json' }
    const points = { variant: 'authoritative_location', ...pointer } as never
    await registry.observe(
      ...['x.example', 'y.example'].map(location => ({
        kind: 'adagents.json' as const,
        location,
        document: points,
      })),
      observePublisherFile('a.example', {
        sites: ['a.example'],
        agents: ['https://agent.example/mcp'],
      }),
    )
    registry.clock.tick(MINUTE)
    const answer = await post(paths.manager, { manager_domain: 'A.example' })
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      {
        message: 'Manager re-validation enqueued',
        manager_domain: 'a.example',
        publishers_enqueued: 2,
        crawl_request_id: expect.any(String),
      },
    ])
    expect((await status(answer.json().crawl_request_id)).json()).toMatchObject({
      status: 'queued',
      outcome: [{ file: 'adagents.json' }],
    })
    const nobody = await post(paths.manager, { manager_domain: 'news.example' })
    expect([nobody.statusCode, nobody.json().publishers_enqueued]).toEqual([202, 0])
  })

  test('429: has its own window and shares the hourly limit', async () => {
    const { ask, post } = await open({ limits: { crawlRequestsPerHour: 3 } })
    const manager = { manager_domain: 'news.example' }
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
    expect((await post(paths.manager, manager)).statusCode).toBe(202)
    const again = await post(paths.manager, manager)
    expect([again.statusCode, again.json().error]).toEqual([
      429,
      'A crawl of news.example was requested a moment ago. Try again in 5 minutes.',
    ])
    expect((await post(paths.brand, { domain: 'a.example' })).statusCode).toBe(202)
    const over = await post(paths.manager, { manager_domain: 'a.example' })
    expect([over.statusCode, over.json().error]).toEqual([
      429,
      'No more than 3 crawl requests an hour. Try again in 60 minutes.',
    ])
  })

  test('400: the invalid field is named', async () => {
    const { post } = await open()
    const answer = await post(paths.manager, {})
    expect(answer.json().error).toBe('`manager_domain` is required.')
    const other = await post(paths.manager, { domain: 'news.example' })
    expect(other.json().error).toBe('Unknown field `domain`. Did you mean `manager_domain`?')
    const nowhere = await post(paths.manager, { manager_domain: 'nowhere.example' })
    expect(nowhere.json().error).toBe('`manager_domain` must be a domain on the public internet.')
  })
})

test('the public client requests a crawl', async () => {
  const { registry, token } = await open()
  const baseUrl = await registry.app.listen({ port: 0, host: '127.0.0.1' })
  const client = new RegistryClient({ baseUrl, apiKey: token })
  expect(await client.requestCrawl('news.example')).toMatchObject({
    message: 'Crawl request accepted',
    domain: 'news.example',
  })
  await expect(client.requestCrawl('news.example')).rejects.toThrow('429')
})

describe('without Redis', () => {
  test('503: requests cannot be counted', async () => {
    const { ask, registry } = await open({ writer: { requestLive: answerAllPublic } })
    await redis.stop()
    const answer = await ask({ domain: 'news.example' })
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'crawl_queue_unavailable'])
    expect(answer.headers['retry-after']).toBe('5')
    expect(registry.submitted).toEqual([])
  })
})
