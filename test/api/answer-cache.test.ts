import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ limits: { snapshotQueries: 5 } }))

/** Lists and counts, all that many ask alike. */
const shared = [
  '/api/registry/catalog?limit=50',
  '/api/registry/catalog/sync?since=2020-01-01T00:00:00Z',
  '/api/registry/catalog/collections',
  '/api/registry/catalog/collections/sync',
  '/api/registry/agents',
  '/api/registry/publishers',
  '/api/registry/mirrors',
  '/api/registry/stats',
  '/api/policies/registry',
  '/api/brands/registry',
  '/api/properties/registry',
  '/openapi/registry.yaml',
  '/.well-known/openapi.yaml',
  '/openapi.json',
  '/docs',
  '/',
  '/crawl',
  '/search?q=site1',
  '/publisher/site1.example',
]

beforeAll(async () => {
  for (let i = 0; i < 30; i++) await observe(i)
  await registry.publish()
})

function observe(i: number): Promise<void> {
  const location = `site${i}.example`
  const sites = Array.from({ length: 20 }, (_, site) => `s${site}.${location}`)
  return registry.observe(
    observePublisherFile(location, { sites, agents: ['https://a.example/mcp'] }),
  )
}

const get = (url: string, headers: Record<string, string> = {}) =>
  registry.app.inject({ url, headers })

test.each(shared)('%s: a client with the current answer gets 304 until it changes', async url => {
  const first = await get(url)
  expect(first.statusCode).toBe(200)
  const held = { 'if-none-match': String(first.headers.etag) }
  expect([(await get(url, held)).statusCode, (await get(url, held)).body]).toEqual([304, ''])
  expect((await get(url)).body).toBe(first.body)
  expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200)
})

test.each(['/api/registry/catalog', '/openapi/registry.yaml', '/api/properties/registry'])(
  '%s is compressed for clients that accept it, with a weak ETag',
  async url => {
    const plain = await get(url)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers.vary).toMatch(/accept-encoding/)
    for (const [encoding, open] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
      ['zstd', zstdDecompressSync],
    ] as const) {
      for (const turn of ['made', 'kept']) {
        const packed = await get(url, { 'accept-encoding': encoding })
        expect(packed.headers, turn).toMatchObject({
          'content-encoding': encoding,
          etag: `W/${plain.headers.etag}`,
          'content-length': String(packed.rawPayload.length),
        })
        expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length)
        expect(open(packed.rawPayload)).toEqual(plain.rawPayload)
      }
      const held = { 'accept-encoding': encoding, 'if-none-match': `W/${plain.headers.etag}` }
      expect((await get(url, held)).statusCode).toBe(304)
    }
  },
)

test('a short answer is sent uncompressed', async () => {
  const { headers } = await get('/healthz', { 'accept-encoding': 'br, gzip' })
  expect(headers).not.toHaveProperty('content-encoding')
  expect(headers).not.toHaveProperty('vary')
})

test('an answer that five hundred clients request at once is computed once', async () => {
  for (const url of ['/api/registry/catalog?limit=7', '/api/policies/registry?search=seven']) {
    const all = await Promise.all(Array.from({ length: 500 }, () => get(url)))
    expect(new Set(all.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(new Set(all.map(({ body }) => body)).size).toBe(1)
  }
})

test('a caller with too many requests affects no other lists or callers', async () => {
  const flood = Array.from({ length: 300 }, (_, i) => get(`/api/registry/catalog?search=s${i}`))
  const lists = ['agents', 'publishers', 'mirrors', 'catalog/collections']
  const others = await Promise.all([
    ...lists.map(list => get(`/api/registry/${list}?limit=3`)),
    get('/api/policies/registry?limit=3'),
    registry.app.inject({ url: '/api/registry/catalog?limit=3', remoteAddress: '203.0.113.9' }),
  ])
  expect(others.map(({ statusCode }) => statusCode)).toEqual(others.map(() => 200))
  const answered = await Promise.all(flood)
  const refused = answered.filter(({ statusCode }) => statusCode === 503)
  expect(refused.length).toBeGreaterThan(200)
  expect(refused[0]!.headers['retry-after']).toBe('1')
})

test.each(['/api/search?q=s', '/api/brands/find?q=s'])(
  '%s: a caller with many searches waits only for itself',
  async url => {
    const flood = Array.from({ length: 300 }, (_, i) => get(`${url}${i}`))
    const other = await registry.app.inject({ url: `${url}ite`, remoteAddress: '203.0.113.9' })
    expect(other.statusCode).toBe(200)
    const answered = await Promise.all(flood)
    expect(answered.filter(({ statusCode }) => statusCode === 503).length).toBeGreaterThan(200)
  },
)

test('an answer follows the snapshot, the members, and the clock where it shows the head of the feed', async () => {
  const total = async () => (await get('/api/registry/catalog')).json().total as number
  const before = await total()
  await observe(99)
  await registry.publish()
  expect(await total()).toBeGreaterThan(before)
  const agents = async () => (await get('/api/registry/agents')).json().total as number
  expect(await agents()).toBe(0)
  const key = await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['acme.example'],
    agents: [
      { url: 'https://shown.acme.example/mcp' },
      { url: 'https://hidden.acme.example/mcp', visibility: 'members_only' },
    ],
  })
  expect(await agents()).toBe(1)
  const theirs = await get('/api/registry/agents', { authorization: `Bearer ${key}` })
  expect(theirs.json().total).toBe(2)
  expect(await agents()).toBe(1)
  const cursor = async () => (await get('/api/registry/catalog')).headers['x-sync-cursor']
  const last = await cursor()
  registry.clock.tick(91 * 24 * 60 * MINUTE)
  expect(await cursor()).not.toBe(last)
})
