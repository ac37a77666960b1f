import { beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ limits: { bulkResolvePerMinute: 1000 } }))

beforeAll(async () => {
  await registry.observe(
    observePublisherFile('news.example', {
      sites: ['news.example', 'sport.news.example'],
      agents: ['https://agent.example/mcp'],
    }),
    { kind: 'adagents.json', location: 'gone.example', outcome: 'absent', status: 404 },
  )
  await registry.publish()
})

const get = (url: string) => registry.app.inject(url)

describe('GET /api/properties/resolve', () => {
  test('200: a publisher has its properties and authorizes its agents', async () => {
    const answer = await get('/api/properties/resolve?domain=news.example')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers.etag).toMatch(/^"[\w-]{22}"$/)
    expect(answer.json()).toMatchObject({
      publisher_domain: 'news.example',
      source: 'adagents_json',
      verified: true,
      authorized_agents: [
        { url: 'https://agent.example/mcp', authorized_for: 'inventory of news.example' },
      ],
      properties: [
        { id: 'news_example', identifiers: [{ type: 'domain', value: 'news.example' }] },
        { id: 'sport_news_example', type: 'website', property_type: 'website' },
      ],
      freshness: { state: 'current' },
    })
  })

  test('404: an unknown publisher comes with the freshness of its file', async () => {
    const answer = await get('/api/properties/resolve?domain=gone.example')
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({
      error: 'No properties are known for gone.example.',
      domain: 'gone.example',
      freshness: { state: 'absent' },
    })
  })

  test('400: a domain is required', async () => {
    const answer = await get('/api/properties/resolve')
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { error: '`domain` is required.', code: 'invalid_request' },
    ])
  })
})

describe('POST /api/properties/resolve/bulk', () => {
  const bulk = (domains: unknown) =>
    registry.send('POST', '/api/properties/resolve/bulk', { payload: { domains } as object })

  test('200: results are keyed by the lowercase input, null where unknown', async () => {
    const answer = await bulk(['NEWS.example', 'nobody.example', 'not a domain', '__proto__'])
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toContain('"not a domain":null,"__proto__":null')
    const { results } = answer.json()
    expect(results['nobody.example']).toBeNull()
    expect(results['news.example']).toMatchObject({
      publisher_domain: 'news.example',
      properties: [{ identifiers: [{ type: 'domain' }] }, {}],
    })
  })

  test.each([
    [[''], '`domains[0]` must not be empty.'],
    [[null], '`domains[0]` must be a string.'],
    [{}, '`domains` must be a list.'],
  ])('400: %j is refused by name', async (domains, error) => {
    const answer = await bulk(domains)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
  })

  test('429: this route has its own limit of twenty a minute', async () => {
    const own = await openRegistry()
    const call = (kind: string) =>
      own.send('POST', `/api/${kind}/resolve/bulk`, { payload: { domains: ['a.example'] } })
    for (let i = 0; i < 20; i++) expect((await call('properties')).statusCode).toBe(200)
    const answer = await call('properties')
    expect([answer.statusCode, answer.json().retry_after]).toEqual([429, 60])
    expect((await call('brands')).statusCode).toBe(200)
    await own.close()
  })
})

describe('GET /api/properties/registry', () => {
  test('200: properties with the counts of their publisher', async () => {
    const answer = await get('/api/properties/registry')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['x-registry-seq']).toBe('1')
    const { properties, stats } = answer.json()
    expect(properties).toHaveLength(2)
    expect(properties[0]).toMatchObject({
      id: 'news_example',
      domain: 'news.example',
      publisher_domain: 'news.example',
      source: 'adagents_json',
      property_count: 2,
      agent_count: 1,
      verified: true,
      identifiers: [{ type: 'domain', value: 'news.example' }],
      tags: ['all'],
    })
    expect(stats).toEqual({ total: 2, community: 0, adagents_json: 2, hosted: 0 })
  })

  test('200: search matches a part of an identifier', async () => {
    const { properties, stats } = (await get('/api/properties/registry?search=SPORT.')).json()
    expect([properties.length, stats.total]).toEqual([1, 1])
  })

  test('200: a source filters the list but not the counts', async () => {
    const { properties, stats } = (await get('/api/properties/registry?source=enriched')).json()
    expect([properties, stats.total]).toEqual([[], 2])
  })

  test('400: a negative limit is refused', async () => {
    const answer = await get('/api/properties/registry?limit=-5')
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain('limit')
  })
})
