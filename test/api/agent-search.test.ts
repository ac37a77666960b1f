import { beforeAll, describe, expect, test } from 'vitest'
import { AgentSearchAnswer, type FoundAgent } from '../../pipeline/model/responses/agent-search.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { observeProbedAgent } from '../support/fixtures/probed-agents.ts'
import { openAnotherApi, openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const registry = openForAll(openRegistry)
let key: string

const wide = 'https://wide.example/mcp'
const narrow = 'https://narrow.example/mcp'
const twin = 'https://twin.example/mcp'

beforeAll(async () => {
  key = await registry.createKey('Buyers')
  const sites = ['a.example', 'b.a.example', 'c.a.example']
  await registry.observe(
    observePublisherFile('a.example', { sites, agents: [wide] }),
    observePublisherFile('b.example', { sites: ['b.example'], agents: [wide, narrow, twin] }),
  )
  registry.clock.tick(1_000)
  await registry.observe(
    observeProbedAgent(narrow, {
      tools: ['get_products'],
      name: 'Narrow',
      markets: ['US'],
      has_tmp: true,
      formats: [{ format_id: { agent_url: narrow, id: 'banner' }, name: 'Banner' }],
    }),
  )
  await registry.publish()
})

const search = (query = '', headers = { authorization: `Bearer ${key}` }) =>
  registry.app.inject({ url: `/api/registry/agents/search${query}`, headers })
const found = async (query: string) =>
  (await search(query)).json().results.map(({ url }: FoundAgent) => url)

describe('GET /api/registry/agents/search', () => {
  test('200: an agent is shown flat and as a profile, with the matches that found it', async () => {
    const answer = await search('?channels=display')
    expect(answer.statusCode).toBe(200)
    const { results, has_more } = AgentSearchAnswer.parse(answer.json())
    expect(has_more).toBe(false)
    const facts = { channels: ['display'], property_types: ['website'], tags: ['all'] }
    const score = Math.round((1 + 0.1 * Math.log(5)) * 1e12) / 1e12
    expect(results[0]).toMatchObject({
      agent_url: wide,
      url: wide,
      name: wide,
      type: 'unknown',
      ...facts,
      property_count: 4,
      publisher_count: 2,
      category_taxonomy: null,
      markets: [],
      relevance_score: score,
      matched_filters: ['channels'],
      inventory_profile: { ...facts, property_count: 4, has_tmp: false, category_taxonomy: null },
      match: { score, matched_filters: ['channels'] },
    })
  })

  test('200: another process gives the same answer from its first snapshot on', async () => {
    const other = await openAnotherApi(registry)
    const headers = { authorization: `Bearer ${key}` }
    const answer = await other.app.inject({ url: '/api/registry/agents/search', headers })
    await other.close()
    expect(answer.json()).toEqual((await search()).json())
  })

  test('200: the statements of an agent about itself are searched too', async () => {
    const [first] = (await search('?markets=us&has_tmp=true')).json().results
    expect(first).toMatchObject({
      url: narrow,
      name: 'Narrow',
      type: 'sales',
      markets: ['US'],
      has_tmp: true,
      format_ids: [{ agent_url: narrow, id: 'banner' }],
      inventory_profile: { format_ids: ['banner'] },
      relevance_score: Math.round((1 + 0.1 * Math.log(2) + 0.05) * 1e12) / 1e12,
      matched_filters: ['markets'],
    })
  })

  test('200: several filters narrow the result, several values of one filter widen it', async () => {
    expect(await found('')).toEqual([wide, narrow, twin])
    expect(await found('?channels=display,ctv')).toEqual([wide, narrow, twin])
    expect(await found('?channels=display&markets=US')).toEqual([narrow])
    expect(await found('?channels=Display&markets=us')).toEqual([narrow])
    expect(await found('?channels=ctv')).toEqual([])
    expect(await found('?min_properties=2')).toEqual([wide])
    expect(await found('?has_tmp=false')).toEqual([wide, twin])
    expect(await found('?type=sales&sort=relevance')).toEqual([narrow])
    expect(await found('?categories=IAB1')).toEqual([])
  })

  test('200: the order among matches is by the share of the asked values that they have', async () => {
    // The score of every match was the same, whichever of several values an agent had.
    const { results } = (await search('?channels=display,ctv,audio&markets=US,DE')).json()
    expect(results[0].relevance_score).toBe(
      Math.round((2 / 5 + 0.1 * Math.log(2) + 0.05) * 1e12) / 1e12,
    )
    const both = (await search('?channels=display,ctv')).json().results
    expect(both[0].relevance_score).toBe(Math.round((1 / 2 + 0.1 * Math.log(5)) * 1e12) / 1e12)
    expect(both[0].match.score).toBe(both[0].relevance_score)
    expect((await found('?channels=display,display'))[0]).toBe(wide)
    const pages: string[] = []
    let cursor = ''
    for (let more = true; more; ) {
      const page = (await search(`?channels=display,ctv&limit=1&cursor=${cursor}`)).json()
      pages.push(...page.results.map(({ url }: FoundAgent) => url))
      cursor = page.cursor
      more = page.has_more
    }
    expect(pages).toEqual(both.map(({ url }: FoundAgent) => url))
  })

  test('200: an empty answer names the values that no agent has, and those that were meant', async () => {
    const answer = await search('?markets=US&property_types=websit,unheard')
    expect(answer.json()).toEqual({
      results: [],
      cursor: null,
      next_cursor: null,
      has_more: false,
      unmatched_values: [
        { parameter: 'property_types', value: 'websit', did_you_mean: 'website' },
        { parameter: 'property_types', value: 'unheard' },
      ],
    })
    expect(AgentSearchAnswer.safeParse(answer.json()).success).toBe(true)
    expect((await search('?property_types=website,websit')).json()).not.toHaveProperty(
      'unmatched_values',
    )
  })

  test('400: a market that is no code of a country is refused, as `country` is elsewhere', async () => {
    const answer = await search('?markets=US,Germany')
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.stringContaining('two-letter country codes, such as GB'),
    ])
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
      results: [],
      cursor: null,
      next_cursor: null,
      has_more: false,
    })
  })

  test('200: the cursor of the feed is the last event in the snapshot', async () => {
    const before = await search()
    expect(before.headers['x-registry-seq']).toBe(String(registry.sequencer.seq))
    expect(before.headers['x-sync-cursor']).toBe(registry.sequencer.lastEventId)
    await registry.observe(
      observePublisherFile('c.example', {
        sites: ['c.example'],
        agents: ['https://new.example/mcp'],
      }),
    )
    const behind = await search()
    expect(behind.headers['x-sync-cursor']).toBe(before.headers['x-sync-cursor'])
    const feed = await registry.send(
      'GET',
      `/api/registry/feed?types=agent.*&cursor=${behind.headers['x-sync-cursor']}`,
      { key },
    )
    expect(feed.json().events.map((event: { entity_id: string }) => event.entity_id)).toEqual([
      'https://new.example/mcp',
    ])
  })

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=many', 'limit'],
    [`?channels=${Array(101).fill('x').join()}`, 'channels'],
    [`?${Array(101).fill('channels=x').join('&')}`, 'channels'],
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
      expect.stringMatching(`^\`${name}\` must`),
    ])
  })

  test.each([['?type=sale', /^`type` must be one of .*\. Did you mean "sales"\?$/]])(
    '400: %s says what was meant',
    async (query, error) => {
      expect((await search(query)).json().error).toMatch(error)
    },
  )

  test('401: a credential is required', async () => {
    expect((await search('', {} as { authorization: string })).statusCode).toBe(401)
    expect((await search('', { authorization: 'Bearer sk_none' })).statusCode).toBe(401)
  })

  test('200: two agents that change in one commit are both shown as they are now', async () => {
    const pair = ['https://one.pair.example/mcp', 'https://two.pair.example/mcp']
    const counts = async () => {
      await registry.publish()
      const { results } = (await search('?limit=200')).json()
      const ours = results.filter(({ url }: FoundAgent) => pair.includes(url))
      return ours.map(({ property_count }: FoundAgent) => property_count)
    }
    const sites = ['pair.example', 'b.pair.example', 'c.pair.example']
    await registry.observe(
      observePublisherFile('pair.example', { sites: [sites[0]!], agents: pair }),
    )
    expect(await counts()).toEqual([1, 1])
    registry.clock.tick(1_000)
    await registry.observe(observePublisherFile('pair.example', { sites, agents: pair }))
    expect(await counts()).toEqual([3, 3])
  })

  test('503: before the first snapshot nothing can be searched', async () => {
    const early = await openRegistry()
    const ask = async (key: string) => early.send('GET', '/api/registry/agents/search', { key })
    const key = await early.createKey('Early')
    expect((await ask(key)).statusCode).toBe(503)
    await early.publish()
    const answer = await ask(key)
    expect(answer.json()).toEqual({ results: [], cursor: null, next_cursor: null, has_more: false })
    expect(answer.headers['x-sync-cursor']).toBe('00000000-0000-0000-0000-000000000000')
    await early.close()
  })
})

describe('the facts an agent is found by', () => {
  const all = 'https://all.sellers.example/mcp'
  const some = 'https://some.sellers.example/mcp'
  const plain = 'https://plain.sellers.example/mcp'
  const sellers = openForAll(openRegistry)
  let headers: { authorization: string }
  const observe = async (...seen: Parameters<TestRegistry['observe']>) => {
    sellers.clock.tick(1_000)
    await sellers.observe(...seen)
    await sellers.publish()
  }
  const file = (domain: string, more: object) =>
    observeFile('adagents.json', domain, buildShop(domain, more), sellers.clock.now())
  const searched = async (query = ''): Promise<Map<string, FoundAgent>> => {
    const url = `/api/registry/agents/search?limit=200${query}`
    const answer = AgentSearchAnswer.parse((await sellers.app.inject({ url, headers })).json())
    return new Map(answer.results.map(agent => [agent.url, agent]))
  }
  const shows = (genre_taxonomy?: string) => [
    { collection_id: 'news', name: 'News', genre: ['Politics', 'World'], genre_taxonomy },
    { collection_id: 'kids', name: 'Kids', genre: ['Cartoons'], genre_taxonomy },
  ]
  const sells = (url: string, more: object = {}) => grantByIds(url, more)

  beforeAll(async () => {
    headers = { authorization: `Bearer ${await sellers.createKey('Buyers')}` }
    const collections = [{ publisher_domain: 'tv.example', collection_ids: ['kids'] }]
    await observe(
      file('tv.example', {
        collections: shows('iab_3.1'),
        authorized_agents: [sells(all), sells(some, { collections })],
      }),
      file('paper.example', {
        properties: [
          buildWebsite('paper.example', {
            property_type: 'newspaper',
            categories: ['Daily', 7, ''],
            name: 'Paper',
          }),
        ],
        placements: [
          {
            placement_id: 'top',
            name: 'Top',
            property_ids: ['site'],
            categories: ['Business'],
            category_taxonomy: 'own',
          },
        ],
        authorized_agents: [sells(plain)],
      }),
    )
    await observe(
      observeProbedAgent(all, {
        tools: ['get_products'],
        channels: ['ctv'],
        markets: ['DE'],
        formats: [{ format_id: { agent_url: all, id: 'a' }, format_kind: 'image' }],
        products: {
          delivery_types: ['guaranteed'],
          channels: ['olv'],
          markets: ['US'],
          format_kinds: ['video_hosted'],
        },
      }),
    )
  })

  test('genres with their taxonomy, as far as its grants reach', async () => {
    const found = await searched()
    expect(found.get(all)).toMatchObject({
      categories: ['Cartoons', 'Politics', 'World'],
      category_taxonomy: 'iab_3.1',
      inventory_profile: { categories: ['Cartoons', 'Politics', 'World'] },
    })
    expect(found.get(some)!.categories).toEqual(['Cartoons'])
    expect([...(await searched('&categories=World,Other')).keys()]).toEqual([all])
  })

  test('categories of properties and placements; none where several taxonomies are used', async () => {
    expect((await searched()).get(plain)).toMatchObject({
      categories: ['Business', 'Daily'],
      category_taxonomy: null,
    })
  })

  test('what it declares about its products and itself, which counts before what types imply', async () => {
    const found = await searched('&delivery_types=guaranteed&format_kinds=image')
    expect([...found.keys()]).toEqual([all])
    expect(found.get(all)).toMatchObject({
      channels: ['ctv', 'olv'],
      markets: ['DE', 'US'],
      delivery_types: ['guaranteed'],
      format_kinds: ['image', 'video_hosted'],
      matched_filters: ['delivery_types', 'format_kinds'],
      inventory_profile: {
        delivery_types: ['guaranteed'],
        format_kinds: ['image', 'video_hosted'],
      },
    })
    expect((await searched()).get(some)!.channels).toEqual(['display'])
  })

  test('no type of property that the format does not know', async () => {
    const found = (await searched()).get(plain)!
    expect([found.property_count, found.property_types]).toEqual([1, []])
    const stats = (await sellers.app.inject('/api/registry/stats')).json()
    expect(stats.properties_by_type).toEqual({ website: 1 })
  })

  test('current facts only, and their change is in the feed', async () => {
    const last = sellers.sequencer.lastEventId
    await observe(
      file('tv.example', {
        properties: [buildWebsite('tv.example', { supported_channels: ['linear_tv'] })],
        collections: shows().slice(0, 1),
        authorized_agents: [sells(all), sells(some)],
      }),
    )
    const found = await searched()
    expect(found.get(all)).toMatchObject({
      categories: ['Politics', 'World'],
      category_taxonomy: null,
      channels: ['linear_tv'],
    })
    expect(found.get(some)!.categories).toEqual(['Politics', 'World'])
    const url = `/api/registry/feed?types=agent.*&cursor=${last}`
    const { events } = (await sellers.app.inject({ url, headers })).json()
    expect(events).toHaveLength(2)
    for (const { event_type, payload } of events) {
      expect(event_type).toBe('agent.profile_updated')
      expect(payload.changed_fields).toContain('categories')
      expect(payload.inventory_profile.categories).toEqual(['Politics', 'World'])
    }
  })

  test('also of a publisher that was counted before there were categories', async () => {
    await sellers.sequencer.quietly(async () => {
      const { index } = sellers.sequencer
      await index.run('update publishers set reach_format = null')
      await index.run(
        "delete from agent_facets where facet in ('category', 'taxonomy', 'declared_channel')",
      )
    })
    await observe(
      file('tv.example', {
        collections: shows('iab_3.1'),
        authorized_agents: [sells(all), sells(some)],
      }),
    )
    const { categories, channels } = (await searched()).get(some)!
    expect([categories, channels]).toEqual([['Cartoons', 'Politics', 'World'], ['display']])
    expect(await sellers.verify()).toEqual([])
  })
})
