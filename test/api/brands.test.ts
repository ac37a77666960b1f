import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../pipeline/core/clock.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ limits: { bulkResolvePerMinute: 1000 } }))

beforeAll(async () => {
  await registry.observe(
    observeBrandFile('acme.example', 'Acme', { description: 'anvils' }),
    observeBrandFile('zeta.example', 'Zeta 100%'),
    observeBrandFile('xn--bcher-kva.example', 'Bücher'),
    { kind: 'brand.json', location: 'gone.example', outcome: 'absent', status: 404 },
    { kind: 'brand.json', location: 'mute.example', outcome: 'timeout' },
  )
  await registry.publish()
})

function get(url: string, headers = {}) {
  return registry.app.inject({ url, headers })
}

function resolveBulk(domains: unknown, over = registry) {
  const payload = { domains } as object
  return over.app.inject({ method: 'POST', url: '/api/brands/resolve/bulk', payload })
}

const LEGACY = 'https://schemas.adcontextprotocol.org/brand/v1/brand.json'

describe('what is known of the form of a file', () => {
  const file = {
    $schema: LEGACY,
    house: { domain: 'group.example', name: 'Group' },
    brands: [
      {
        id: 'early',
        name: 'Early',
        properties: [{ type: 'website', identifier: 'early.example' }],
      },
    ],
  }

  test('200: a file of an early form was promoted, and says what was not read', async () => {
    await registry.observe(observeFile('brand.json', 'early.example', file, registry.clock.now()))
    const resolved = (await get('/api/brands/resolve?domain=early.example')).json()
    expect(resolved).toMatchObject({
      brand_name: 'Early',
      relationship_trust: 'standalone',
      promoted_from_schema: LEGACY,
      migration_warnings: [{ field: '$schema' }, { field: 'brands.name' }, { field: 'house' }],
    })
    const bulk = (await resolveBulk(['early.example', 'acme.example'])).json().results
    expect(bulk['early.example']).toMatchObject({ promoted_from_schema: LEGACY })
    expect(bulk['acme.example']).not.toHaveProperty('promoted_from_schema')
    const raw = (await get('/api/brands/brand-json?domain=early.example')).json()
    expect(raw).toMatchObject({ promoted_from_schema: LEGACY })
  })

  test('200: the role of a saved brand is the same in resolve and lists', async () => {
    const own = await openRegistry()
    const plain = buildBrandSave('Acme', 'saved.example', 'Saved')
    const sub = buildBrandSave('Acme', 'sub.saved.example', 'Sub')
    await own.sequencer.commit({
      observations: [],
      submissions: [buildOrganizationWrite('Acme'), buildProofWrite('Acme', 'saved.example')],
    })
    await own.sequencer.commit({
      observations: [],
      submissions: [
        plain,
        { ...sub, operation: { ...sub.operation, keller_type: 'sub_brand' } as never },
      ],
    })
    await own.publish()
    const { brands } = (await own.app.inject('/api/brands/registry')).json()
    for (const [domain, role] of [
      ['saved.example', 'master'],
      ['sub.saved.example', 'sub_brand'],
    ]) {
      const resolved = (await own.app.inject(`/api/brands/resolve?domain=${domain}`)).json()
      const listed = brands.find((item: { domain: string }) => item.domain === domain)
      expect([resolved.keller_type, listed.keller_type]).toEqual([role, role])
    }
    await own.close()
  })
})

describe('GET /api/brands/resolve', () => {
  test('200: a domain that publishes a brand.json is that brand', async () => {
    const answer = await get('/api/brands/resolve?domain=acme.example&fresh=TRUE')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      canonical_id: 'acme.example',
      canonical_domain: 'acme.example',
      brand_name: 'Acme',
      source: 'brand_json',
      brand_manifest: { name: 'Acme', description: 'anvils' },
      freshness: { state: 'current', outcome: 'ok', http_status: 200 },
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, no-cache',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'content-length': String(answer.rawPayload.length),
    })
  })

  test.each([['ACME.example'], ['%20acme.example%20']])(
    '200: %s is the same domain',
    async domain => {
      expect((await get(`/api/brands/resolve?domain=${domain}`)).json().brand_name).toBe('Acme')
    },
  )

  test('200: a domain may be written in its own script', async () => {
    const answer = await get(`/api/brands/resolve?domain=${encodeURIComponent('bücher.example')}`)
    expect(answer.json()).toMatchObject({ brand_name: 'Bücher' })
  })

  test('200: a large document is sent whole, alone and in bulk', async () => {
    const own = await openRegistry()
    const manifest = { description: 'ä'.repeat(100_000) }
    await own.observe(
      observeBrandFile('big.example', 'Big', manifest),
      observeBrandFile('a.example', 'A'),
    )
    const answer = await own.app.inject('/api/brands/resolve?domain=big.example')
    expect(answer.json().brand_manifest).toMatchObject(manifest)
    expect(answer.headers.etag).toMatch(/^"[\w-]{22}"$/)
    const domains = ['a.example', ...Array.from({ length: 9 }, () => 'big.example'), 'b.example']
    const many = (await resolveBulk(domains, own)).json().results
    expect(many['big.example']).toEqual(answer.json())
    expect(many['a.example'].brand_name).toBe('A')
    await own.close()
  })

  test('200: an invalid credential does not close a public read', async () => {
    const headers = { authorization: 'Bearer sk_wrong' }
    expect((await get('/api/brands/resolve?domain=acme.example', headers)).statusCode).toBe(200)
  })

  test('304: with a date that is not before the last change', async () => {
    const url = '/api/brands/resolve?domain=acme.example'
    const { headers } = await registry.app.inject(url)
    const changed = Date.parse(String(headers['last-modified']))
    const asked = (ms: number, more = {}) =>
      registry.send('GET', url, {
        headers: { 'if-modified-since': new Date(ms).toUTCString(), ...more },
      })
    expect((await asked(changed)).statusCode).toBe(304)
    expect((await asked(changed + 60_000)).statusCode).toBe(304)
    expect((await asked(changed - 1_000)).statusCode).toBe(200)
    // An ETag says more than a second does.
    expect((await asked(changed, { 'if-none-match': '"other"' })).statusCode).toBe(200)
    const bad = { url, headers: { 'if-modified-since': 'yesterday' } }
    expect((await registry.app.inject(bad)).statusCode).toBe(200)
  })

  test('304: with the ETag of the content', async () => {
    const { headers } = await get('/api/brands/resolve?domain=acme.example')
    const tag = { 'if-none-match': `"other", W/${headers.etag}` }
    const answer = await get('/api/brands/resolve?domain=acme.example', tag)
    expect(answer.statusCode).toBe(304)
    expect(answer.body).toBe('')
    expect(answer.headers).toMatchObject({
      etag: headers.etag,
      'cache-control': 'public, no-cache',
    })
  })

  test('HEAD answers with the headers of a GET, whatever the result', async () => {
    const { headers: first } = await get('/api/brands/resolve?domain=acme.example')
    const held = { 'if-none-match': String(first.etag) }
    const asked = [
      [200, '/api/brands/resolve?domain=acme.example', {}],
      [304, '/api/brands/resolve?domain=acme.example', held],
      [404, '/api/brands/resolve?domain=nobody.example', {}],
      [400, '/api/brands/resolve?domain=-', {}],
      [401, '/api/registry/feed', {}],
      [404, '/nowhere', {}],
      [405, '/api/brands/resolve/bulk', {}],
    ] as const
    for (const [status, url, headers] of asked) {
      const head = await registry.app.inject({ method: 'HEAD', url, headers })
      const full = await get(url, headers)
      expect([head.statusCode, full.statusCode, head.body]).toEqual([status, status, ''])
      const omitVolatile = ({ date: _, 'x-request-id': __, ...rest }: Record<string, unknown>) =>
        rest
      expect(omitVolatile(head.headers), url).toEqual(omitVolatile(full.headers))
    }
  })

  test('404: names the domain that is known without its www.', async () => {
    const known = await get('/api/brands/resolve?domain=https://WWW.acme.example/path')
    expect([known.statusCode, known.json()]).toMatchObject([
      404,
      { domain: 'www.acme.example', did_you_mean: ['acme.example'] },
    ])
    const unknown = await get('/api/brands/resolve?domain=www.nobody.example')
    expect(unknown.json()).not.toHaveProperty('did_you_mean')
  })

  test('404: a domain that was never looked up was never crawled', async () => {
    const answer = await get('/api/brands/resolve?domain=nobody.example')
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toEqual({
      error: 'No brand is known for nobody.example.',
      code: 'not_found',
      domain: 'nobody.example',
      freshness: { state: 'never_crawled' },
    })
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('404: a domain without the file reports what its server answered', async () => {
    expect((await get('/api/brands/resolve?domain=gone.example')).json()).toMatchObject({
      file_status: 404,
      freshness: { state: 'absent', http_status: 404 },
    })
  })

  test('404: a server that never answered has no status', async () => {
    const body = (await get('/api/brands/resolve?domain=mute.example')).json()
    expect(body).toMatchObject({ freshness: { state: 'failing', outcome: 'timeout' } })
    expect(body).not.toHaveProperty('file_status')
  })

  test.each([
    ['', '`domain` is required.'],
    ['?domain=', '`domain` must be a domain name such as acme.example.'],
    ['?domain=localhost', '`domain` must be a domain name such as acme.example.'],
    ['?domain=https://acme.example:8080/', '`domain` must be a domain name such as acme.example.'],
    ['?domain=a.example&domain=b.example', '`domain` must be a single value.'],
  ])('400: %s is refused by name', async (query, error) => {
    const answer = await get(`/api/brands/resolve${query}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
  })

  test('an answer that could not be confirmed for two days is stale, and its ETag says so', async () => {
    const own = await openRegistry()
    await own.observe(observeBrandFile('acme.example', 'Acme'))
    const url = '/api/brands/resolve?domain=acme.example'
    const before = await own.app.inject(url)
    own.clock.tick(2 * DAY + HOUR)
    const after = await own.app.inject(url)
    expect(after.json().freshness.state).toBe('stale')
    expect(after.headers.etag).not.toBe(before.headers.etag)
    own.clock.tick(DAY)
    expect((await own.app.inject(url)).headers.etag).toBe(after.headers.etag)
    await own.close()
  })

  test('before the first commit every domain is unknown', async () => {
    const own = await openRegistry()
    const answer = await own.app.inject('/api/brands/resolve?domain=acme.example')
    expect(answer.statusCode).toBe(404)
    await own.close()
  })
})

describe('POST /api/brands/resolve/bulk', () => {
  test('200: results are keyed by the trimmed, lowercase input, null where unknown', async () => {
    const answer = await resolveBulk([
      ' ACME.example',
      'nobody.example',
      'acme.example',
      'Bücher.example',
    ])
    expect(answer.statusCode).toBe(200)
    const { results } = answer.json()
    expect(Object.keys(results)).toEqual(['acme.example', 'nobody.example', 'bücher.example'])
    expect(results).toMatchObject({
      'acme.example': { brand_name: 'Acme', freshness: { state: 'current' } },
      'nobody.example': null,
      'bücher.example': { brand_name: 'Bücher' },
    })
  })

  test('200: one hundred domains per call', async () => {
    const domains = Array.from({ length: 100 }, (_, i) => `d${i}.example`)
    const { results } = (await resolveBulk(domains)).json()
    expect(Object.keys(results)).toEqual(domains)
  })

  test.each([
    [undefined, '`domains` is required.'],
    [[], '`domains` must name at least one domain.'],
    ['acme.example', '`domains` must be a list.'],
    [['acme.example', 7], '`domains[1]` must be a string.'],
    [['acme.example', 'not a domain'], '`domains[1]`: "not a domain" is not a domain name.'],
    [
      Array.from({ length: 101 }, (_, i) => `d${i}.example`),
      '`domains` must be at most 100 items; send several lists.',
    ],
  ])('400: %j is refused by name', async (domains, error) => {
    const answer = await resolveBulk(domains)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
  })

  describe('rate limits', () => {
    const redis = openForAll(startRedis)

    test('429: the twenty-first call of a minute is refused, across processes', async () => {
      const api = await openRegistry({ redis: redis.redis })
      const two = await openRegistry({ redis: redis.redis })
      for (let i = 0; i < 20; i++)
        expect((await resolveBulk(['a.example'], api)).statusCode).toBe(200)
      const answer = await resolveBulk(['a.example'], two)
      expect(answer.statusCode).toBe(429)
      const { retry_after } = answer.json()
      expect(retry_after).toBeGreaterThan(50)
      expect(retry_after).toBeLessThanOrEqual(60)
      expect(answer.json()).toEqual({
        error: `No more than 20 of these requests a minute from one address. Try again in ${retry_after} seconds.`,
        code: 'rate_limited',
        retry_after,
      })
      expect(answer.headers).toMatchObject({
        'retry-after': String(retry_after),
        'ratelimit-limit': '20',
      })
      expect(answer.headers['ratelimit-remaining']).toBe('0')
      await api.close()
      await two.close()
    })

    test('200: reads continue without Redis', async () => {
      const own = await openRegistry({ redis: redis.redis })
      await redis.stop()
      for (let i = 0; i < 25; i++)
        expect((await resolveBulk(['a.example'], own)).statusCode).toBe(200)
      await own.close()
    })
  })
})

describe('GET /api/brands/registry', () => {
  async function names(query: string) {
    const answer = await get(`/api/brands/registry${query}`)
    return answer.json().brands.map((brand: { brand_name: string }) => brand.brand_name)
  }

  test('200: brands by name, with counts and the number of the commit', async () => {
    const answer = await get('/api/brands/registry')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['x-registry-seq']).toBe('1')
    const { brands, stats } = answer.json()
    expect(brands[0]).toMatchObject({
      domain: 'acme.example',
      brand_name: 'Acme',
      source: 'brand_json',
      has_manifest: true,
      verified: true,
    })
    expect(stats).toMatchObject({ total: 3, brand_json: 3, community: 0, houses: 3 })
  })

  test('200: search matches words literally, in any case', async () => {
    expect(await names('?search=ZETA')).toEqual(['Zeta 100%'])
    expect(await names('?search=100%25')).toEqual(['Zeta 100%'])
    expect(await names('?search=_')).toEqual([])
  })

  test('200: a source filters the list but not the counts', async () => {
    const { brands, stats } = (await get('/api/brands/registry?source=community')).json()
    expect([brands, stats.total]).toEqual([[], 3])
  })

  test('200: pages follow each other', async () => {
    const pages = [await names('?limit=2'), await names('?limit=2&offset=2')]
    expect(pages).toEqual([['Acme', 'Bücher'], ['Zeta 100%']])
    expect(await names('?limit=99999999')).toHaveLength(3)
  })

  test('200: nothing is listed before the first snapshot', async () => {
    const own = await openRegistry()
    const answer = await own.app.inject('/api/brands/registry')
    expect(answer.json()).toMatchObject({ brands: [], stats: { total: 0 } })
    await own.close()
  })

  test.each([
    ['limit=-1', '`limit` must be a whole number, at least 0'],
    ['limit=ten', '`limit` must be a whole number, at least 0'],
    ['offset=-1', '`offset` must be a whole number, at least 0'],
    ['source=gossip', '`source` must be one of brand_json, enriched, community, or hosted'],
  ])('400: %s is refused by name', async (query, error) => {
    const answer = await get(`/api/brands/registry?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
  })
})
