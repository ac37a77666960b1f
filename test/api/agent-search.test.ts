import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentSearchAnswer, type FoundAgent } from '../../pipeline/model/answers-agent-search.ts'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { publisherFile } from '../support/documents.ts'
import { probedAgent } from '../support/probed.ts'

let registry: TestRegistry
let key: string

const wide = 'https://wide.example/mcp'
const narrow = 'https://narrow.example/mcp'
const twin = 'https://twin.example/mcp'

beforeAll(async () => {
  registry = await openRegistry()
  key = await registry.createKey('Buyers')
  const sites = ['a.example', 'b.a.example', 'c.a.example']
  await registry.observe(
    publisherFile('a.example', { sites, agents: [wide] }),
    publisherFile('b.example', { sites: ['b.example'], agents: [wide, narrow, twin] }),
  )
  registry.clock.pass(1_000)
  await registry.observe(
    probedAgent(narrow, {
      tools: ['get_products'],
      name: 'Narrow',
      markets: ['US'],
      has_tmp: true,
      formats: [{ format_id: { agent_url: narrow, id: 'banner' }, name: 'Banner' }],
    }),
  )
  await registry.publish()
})

afterAll(() => registry.close())

const search = (query = '', headers = { authorization: `Bearer ${key}` }) =>
  registry.app.inject({ url: `/api/registry/agents/search${query}`, headers })
const found = async (query: string) =>
  (await search(query)).json().results.map(({ url }: FoundAgent) => url)

describe('GET /api/registry/agents/search', () => {
  test('200: an agent is told flat and as a profile, with why it was found', async () => {
    const answer = await search('?channels=display')
    expect(answer.statusCode).toBe(200)
    const { results, has_more } = AgentSearchAnswer.parse(answer.json())
    expect(has_more).toBe(false)
    const facts = { channels: ['display'], property_types: ['website'], tags: ['all'] }
    const score = Math.round((1 + 0.1 * Math.log(5)) * 1e12) / 1e12
    expect(results[0]).toMatchObject({
      ...{ agent_url: wide, url: wide, name: wide, type: 'unknown', ...facts },
      ...{ property_count: 4, publisher_count: 2, category_taxonomy: null, markets: [] },
      ...{ relevance_score: score, matched_filters: ['channels'] },
      inventory_profile: { ...facts, property_count: 4, has_tmp: false, category_taxonomy: null },
      match: { score, matched_filters: ['channels'] },
    })
  })

  test('200: what an agent says of itself is found too', async () => {
    const [first] = (await search('?markets=us&has_tmp=true')).json().results
    expect(first).toMatchObject({
      ...{ url: narrow, name: 'Narrow', type: 'sales', markets: ['US'], has_tmp: true },
      format_ids: [{ agent_url: narrow, id: 'banner' }],
      inventory_profile: { format_ids: ['banner'] },
      relevance_score: Math.round((1 + 0.1 * Math.log(2) + 0.05) * 1e12) / 1e12,
      matched_filters: ['markets'],
    })
  })

  test('200: filters narrow each other, values of one widen it', async () => {
    expect(await found('')).toEqual([wide, narrow, twin])
    expect(await found('?channels=display,ctv')).toEqual([wide, narrow, twin])
    expect(await found('?channels=display&markets=US')).toEqual([narrow])
    expect(await found('?channels=ctv')).toEqual([])
    expect(await found('?min_properties=2')).toEqual([wide])
    expect(await found('?has_tmp=false')).toEqual([wide, twin])
    expect(await found('?type=sales&sort=relevance')).toEqual([narrow])
    expect(await found('?categories=IAB1')).toEqual([])
  })

  test('200: a page leads to the next one', async () => {
    const pages: string[][] = []
    let cursor = ''
    for (let more = true; more; ) {
      const page = (await search(`?limit=1&cursor=${cursor}`)).json()
      pages.push(page.results.map(({ url }: FoundAgent) => url))
      cursor = page.cursor
      more = page.has_more
    }
    expect(pages).toEqual([[wide], [narrow], [twin]])
    expect((await search(`?limit=1&cursor=${cursor}`)).json()).toEqual({
      ...{ results: [], cursor: null, has_more: false },
    })
  })

  test('200: the cursor of the feed is the last event that the snapshot knows', async () => {
    const before = await search()
    expect(before.headers['x-registry-seq']).toBe(String(registry.sequencer.seq))
    expect(before.headers['x-sync-cursor']).toBe(registry.sequencer.lastEventId)
    await registry.observe(
      publisherFile('c.example', { sites: ['c.example'], agents: ['https://new.example/mcp'] }),
    )
    const behind = await search()
    expect(behind.headers['x-sync-cursor']).toBe(before.headers['x-sync-cursor'])
    const feed = await registry.app.inject({
      url: `/api/registry/feed?types=agent.*&cursor=${behind.headers['x-sync-cursor']}`,
      headers: { authorization: `Bearer ${key}` },
    })
    expect(feed.json().events.map((event: { entity_id: string }) => event.entity_id)).toEqual([
      'https://new.example/mcp',
    ])
  })

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=many', 'limit'],
    [`?channels=${Array(101).fill('x').join()}`, 'channels'],
    ['?channels=a&channels=b', 'channels'],
    ['?has_tmp=yes', 'has_tmp'],
    ['?min_properties=-1', 'min_properties'],
    ['?min_properties=few', 'min_properties'],
    ['?type=si', 'type'],
    ['?cursor=bm9uc2Vuc2U', 'cursor'],
    [`?cursor=${Buffer.from('[1e999,"x"]').toString('base64url')}`, 'cursor'],
    [`?cursor=${Buffer.from('{"__proto__":1}').toString('base64url')}`, 'cursor'],
  ])('400: %s', async (query, name) => {
    const answer = await search(query)
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.stringMatching(`^${name}: must|^${name}: Invalid`),
    ])
  })

  test('401: a credential is needed', async () => {
    expect((await search('', {} as { authorization: string })).statusCode).toBe(401)
    expect((await search('', { authorization: 'Bearer sk_none' })).statusCode).toBe(401)
  })

  test('200: nothing is found before anything was published', async () => {
    const empty = await openRegistry()
    const answer = await empty.app.inject({
      url: '/api/registry/agents/search',
      headers: { authorization: `Bearer ${await empty.createKey('Early')}` },
    })
    expect(answer.json()).toEqual({ results: [], cursor: null, has_more: false })
    expect(answer.headers['x-sync-cursor']).toBe('00000000-0000-0000-0000-000000000000')
    await empty.close()
  })
})
