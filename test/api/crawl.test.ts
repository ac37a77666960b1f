import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { Answer } from '../../pipeline/model/submission.ts'
import { openRegistry, type RegistryOptions, type TestRegistry } from '../support/app.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
const opened: TestRegistry[] = []

beforeAll(async () => {
  redis = await startRedis()
})

afterAll(async () => {
  for (const registry of opened) await registry.close()
  await redis.close()
})

/** A registry and one of its callers. */
async function open(options: RegistryOptions = {}) {
  await redis.redis.flushall()
  const registry = await openRegistry({ redis: redis.redis, ...options })
  opened.push(registry)
  const token = await registry.createKey('Publishers')
  const ask = (body: unknown, credential = token) =>
    registry.app.inject({
      method: 'POST',
      url: '/api/registry/crawl-request',
      headers: { authorization: `Bearer ${credential}` },
      payload: body as object,
    })
  return { registry, ask }
}

describe('POST /api/registry/crawl-request', () => {
  test('202: a request is handed in under its id', async () => {
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
        domain: 'news.example',
        requested_by: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
  })

  test('429: a domain is asked for once in five minutes, by anybody', async () => {
    const { registry, ask } = await open()
    const other = await registry.createKey('Others')
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
    const answer = await ask({ domain: 'NEWS.example' }, other)
    expect(answer.statusCode).toBe(429)
    expect(answer.json().error).toBe('a crawl of news.example was asked for a moment ago')
    expect(answer.json().retry_after).toBeGreaterThan(290)
    expect(answer.headers['retry-after']).toBe(String(answer.json().retry_after))
  })

  test('429: a caller asks thirty times an hour, and no more', async () => {
    const { registry, ask } = await open()
    const other = await registry.createKey('Others')
    const asked = Array.from({ length: 31 }, (_, i) => ask({ domain: `d${i}.example` }))
    const statuses = (await Promise.all(asked)).map(answer => answer.statusCode)
    expect(statuses.filter(status => status === 202)).toHaveLength(30)
    const answer = await ask({ domain: 'one-more.example' })
    expect([answer.statusCode, answer.json().error]).toEqual([
      429,
      'no more than 30 crawl requests an hour',
    ])
    expect(answer.json().retry_after).toBeGreaterThan(3590)
    expect((await ask({ domain: 'one-more.example' }, other)).statusCode).toBe(202)
  })

  test('one domain asked for by many at once is taken once', async () => {
    const { registry, ask } = await open()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask({ domain: 'a.example' })),
    )
    expect(answers.filter(answer => answer.statusCode === 202)).toHaveLength(1)
    expect(registry.submitted).toHaveLength(1)
  })

  test.each([
    [{}, 'domain: is required'],
    [{ domain: 7 }, 'domain: Invalid input: expected string, received number'],
    [{ domain: 'localhost' }, 'domain: must be a domain name'],
    [{ domain: '10.0.0.1' }, 'domain: must be a domain name'],
    [{ domain: 'https://news.example' }, 'domain: must be a domain name'],
    [{ domain: 'printer.local' }, 'domain: must be a domain on the public Internet'],
    [{ domain: 'db.prod.internal' }, 'domain: must be a domain on the public Internet'],
    [{ domain: 'news.ex4mple' }, 'domain: must be a domain on the public Internet'],
  ])('400: %j is refused and costs nothing', async (body, error) => {
    const { ask } = await open({ limits: { crawlRequestsPerHour: 1 } })
    const answer = await ask(body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
  })

  test('503: what is not admitted gives its place back', async () => {
    let isAway = true
    const desk = {
      async submit(): Promise<Answer> {
        if (isAway) throw new PublicError('unavailable', 'try again', { retry_after: 5 })
        return { done: {} }
      },
    }
    const { ask } = await open({ desk, limits: { crawlRequestsPerHour: 1 } })
    const answer = await ask({ domain: 'news.example' })
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      { error: 'try again', retry_after: 5 },
    ])
    expect(answer.headers['retry-after']).toBe('5')
    isAway = false
    expect((await ask({ domain: 'news.example' })).statusCode).toBe(202)
  })

  test('400: what the sequencer refuses is said, and costs nothing', async () => {
    const desk = { submit: async (): Promise<Answer> => ({ refused: 'the domain was taken down' }) }
    const { ask } = await open({ desk, limits: { crawlRequestsPerHour: 1 } })
    for (let i = 0; i < 2; i++) {
      const answer = await ask({ domain: 'news.example' })
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'the domain was taken down'])
    }
  })

  test('401: without a credential nothing is looked at', async () => {
    const { ask } = await open()
    const answer = await ask('not even JSON', 'sk_nobody')
    expect(answer.statusCode).toBe(401)
  })

  test('503: nobody can count while Redis is away', async () => {
    const { ask, registry } = await open()
    await redis.stop()
    const answer = await ask({ domain: 'news.example' })
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['retry-after']).toBe('5')
    expect(registry.submitted).toEqual([])
  })
})
