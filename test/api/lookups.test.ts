import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { observeAgent } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ limits: { answerItems: 3 } }))

beforeAll(async () => {
  await registry.observe(
    observePublisherFile('news.example', {
      sites: ['news.example'],
      agents: ['https://agent.example/mcp'],
      placements: ['top', 'side', 'foot', 'inter'],
    }),
    { kind: 'adagents.json', location: 'gone.example', outcome: 'absent', status: 404 },
    { kind: 'adagents.json', location: 'html.example', outcome: 'not_json', status: 200 },
    { kind: 'adagents.json', location: 'mute.example', outcome: 'timeout' },
  )
  await registry.publish()
})

const get = (url: string) => registry.app.inject(url)

describe('GET /api/registry/publisher', () => {
  test('200: the inventory of a publisher and the reach of each agent', async () => {
    const answer = await get('/api/registry/publisher?domain=https://News.example/about?x=1')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      domain: 'news.example',
      member: null,
      adagents_valid: true,
      hosting: { mode: 'self' },
      properties: [{ name: 'news.example', source: 'adagents_json' }],
      authorized_agents: [
        {
          url: 'https://agent.example/mcp',
          source: 'adagents_json',
          properties_authorized: 1,
          properties_total: 1,
          publisher_wide: true,
        },
      ],
      freshness: { state: 'current' },
    })
    expect(answer.json()).not.toHaveProperty('placements')
  })

  test('200: placements on request, cut at the bound of an answer', async () => {
    const answer = await get('/api/registry/publisher?domain=news.example&include=placements')
    expect(answer.headers).not.toHaveProperty('etag')
    const body = answer.json()
    expect(body).toMatchObject({
      domain: 'news.example',
      placements_total: 4,
      placements_truncated: true,
      freshness: { state: 'current' },
    })
    expect(body.placements).toHaveLength(3)
    expect(body.placements_next_cursor).toBe('3')
    const rest = await get(
      '/api/registry/publisher?domain=news.example&include=placements&placements_cursor=3',
    )
    expect(rest.json()).toMatchObject({ placements_total: 4, placements_next_cursor: null })
    expect(rest.json().placements).toHaveLength(1)
    expect(body.placements).not.toContainEqual(rest.json().placements[0])
    expect(body.placements[0]).toEqual({
      placement_id: 'top',
      name: 'top',
      tags: ['all'],
      description: 'placement top',
      channels: ['display'],
      source: 'adagents_json',
    })
  })

  test.each([
    ['nobody.example', null, 'never_crawled', 'none'],
    ['gone.example', false, 'absent', 'none'],
    ['html.example', false, 'invalid', 'self_invalid'],
    ['mute.example', null, 'failing', 'none'],
  ])('200: %s has nothing, and its file is valid: %s', async (domain, valid, state, mode) => {
    for (const include of ['', '&include=placements']) {
      const answer = await get(`/api/registry/publisher?domain=${domain}${include}`)
      expect(answer.statusCode).toBe(200)
      expect(answer.json()).toMatchObject({
        domain,
        member: null,
        adagents_valid: valid,
        hosting: { mode, expected_url: `https://${domain}/.well-known/adagents.json` },
        properties: [],
        authorized_agents: [],
        freshness: { state },
      })
    }
  })

  test.each([
    ['', '`domain` is required.'],
    ['?domain=acme.example:8080', '`domain` must be a domain name such as acme.example.'],
    ['?domain=news.example&include=agents', '`include` must be placements.'],
  ])('400: %s is refused by name', async (query, error) => {
    const answer = await get(`/api/registry/publisher${query}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
  })
})

describe('GET /api/registry/lookup/domain/{domain}', () => {
  test('200: the agents of a domain, with a link to the newer endpoint', async () => {
    const answer = await get('/api/registry/lookup/domain/NEWS.example')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      deprecation: 'true',
      link: '</api/registry/publisher?domain=news.example>; rel="successor-version"',
    })
    expect(answer.json()).toMatchObject({
      domain: 'news.example',
      authorized_agents: [{ url: 'https://agent.example/mcp' }],
      sales_agents_claiming: [],
    })
  })

  test('200: an unknown domain has no agents', async () => {
    expect((await get('/api/registry/lookup/domain/nobody.example')).json()).toEqual({
      domain: 'nobody.example',
      authorized_agents: [],
      sales_agents_claiming: [],
      freshness: { state: 'never_crawled' },
    })
  })

  test('200: agents that recently claimed the domain, known or not, until they stop', async () => {
    const own = await openRegistry()
    const agent = 'https://agent.example/mcp'
    await own.observe(
      observePublisherFile('news.example', { sites: ['news.example'], agents: [agent] }),
    )
    const claiming = async (domain: string) =>
      (await own.app.inject(`/api/registry/lookup/domain/${domain}`)).json().sales_agents_claiming
    await own.observe(observeAgent(agent, { claims: ['news.example', 'blog.example'] }))
    expect(await claiming('news.example')).toEqual([{ url: agent }])
    expect(await claiming('blog.example')).toEqual([{ url: agent }])
    own.clock.tick(DAY)
    const capabilities = {
      supported_protocols: [],
      supported_channels: [],
      markets: [],
      has_tmp: false,
    }
    await own.observe(
      observeAgent(agent, {
        capabilities: { ...capabilities, publisher_domains: ['news.example'] },
      }),
    )
    expect(await claiming('news.example')).toEqual([{ url: agent }])
    expect(await claiming('blog.example')).toEqual([])
    expect(await own.verify()).toEqual([])
    own.clock.tick(8 * DAY)
    expect(await claiming('news.example')).toEqual([])
    await own.close()
  })

  test('400: an invalid domain is named in the error', async () => {
    const answer = await get('/api/registry/lookup/domain/a%20b')
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toBe('`domain` must be a domain name such as acme.example.')
  })
})

describe('GET /api/registry/stats', () => {
  test('200: the counts of the snapshot', async () => {
    const answer = await get('/api/registry/stats')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['x-registry-seq']).toBe('1')
    expect(answer.json()).toMatchObject({
      seq: 1,
      total_publishers: 1,
      total_agents: 1,
      total_properties: 1,
      authorizations: 1,
      authorizations_by_source: { adagents_json: 1, agent_claim: 0 },
      properties_by_type: { website: 1 },
    })
  })

  test('200: zeros before the first snapshot', async () => {
    const own = await openRegistry()
    expect((await own.app.inject('/api/registry/stats')).json()).toMatchObject({
      seq: 0,
      total_brands: 0,
    })
    await own.close()
  })

  test('200: the counts of the next snapshot', async () => {
    const own = await openRegistry()
    const total = async () => (await own.app.inject('/api/registry/stats')).json().total_publishers
    for (const expected of [1, 2]) {
      const sites = [`p${expected}.example`]
      await own.observe(observePublisherFile(sites[0]!, { sites, agents: [] }))
      await own.publish()
      expect(await total()).toBe(expected)
    }
    await own.close()
  })
})
