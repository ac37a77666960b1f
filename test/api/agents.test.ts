import { beforeAll, describe, expect, test } from 'vitest'
import { HOUR } from '../../pipeline/core/clock.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, observeAgent } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { START } from '../support/worlds/clock.ts'

const registry = openForAll(openRegistry)
const keys: Record<string, string | undefined> = {}

const [seller, down, meter, gauge, studio, secret, club] = [
  'https://sales.acme.example/mcp',
  'https://down.acme.example/mcp',
  'https://meter.example/mcp',
  'https://gauge.example/mcp',
  'https://studio.example/mcp',
  'https://secret.acme.example/mcp',
  'https://club.acme.example/mcp',
]

const capabilities = {
  supported_protocols: [],
  supported_channels: [],
  markets: [],
  has_tmp: false,
}
const metric = (metric_id: string, ...bodies: string[]) => ({
  metric_id,
  accreditations: bodies.map(accrediting_body => ({
    accrediting_body,
    verified_by_aao: false as const,
  })),
})

beforeAll(async () => {
  keys.owner = await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['acme.example'],
    agents: [
      { url: seller, name: 'Acme Seller' },
      { url: down, type: 'buying' },
      { url: secret, visibility: 'private' },
      { url: club, visibility: 'members_only' },
    ],
  })
  registry.clock.tick(HOUR)
  keys.member = await enrol(registry, {
    org: 'Meters',
    tier: 'company_standard',
    public: false,
    agents: [
      { url: meter, type: 'measurement' },
      { url: gauge, type: 'measurement' },
      { url: studio, type: 'creative' },
    ],
  })
  keys.below = await enrol(registry, { org: 'Small', tier: 'individual_academic' })
  await registry.observe(
    observePublisherFile('news.example', { sites: ['news.example'], agents: [seller] }),
    observePublisherFile('app.example', {
      sites: ['app.example', 'b.app.example'],
      agents: [seller],
    }),
    observeAgent(seller, {
      tools: [{ name: 'get_products', description: 'Finds products', input_schema: {} }],
      formats: [{ format_id: { agent_url: seller, id: 'a' } }],
      resources_count: 3,
    }),
    observeAgent(meter, {
      capabilities: {
        ...capabilities,
        measurement: { metrics: [metric('viewability', 'Council'), metric('attention', 'Board')] },
      },
    }),
    observeAgent(gauge, {
      capabilities: { ...capabilities, measurement: { metrics: [metric('Attention_Seconds')] } },
    }),
    observeAgent(studio, {
      capabilities: {
        ...capabilities,
        supported_formats: [
          {
            capability_id: 'banner',
            format: { format_kind: 'image', publisher_domain: 'News.example', params: { w: 1 } },
            operations: ['build', 'preview'],
          },
          { capability_id: 'spot', format: { format_kind: 'video' }, operations: ['validate'] },
          { format_id: { agent_url: studio, id: 'old' } },
        ],
      },
    }),
    { kind: 'agent', location: down, outcome: 'timeout', took_ms: 10_000 },
  )
  await registry.publish()
})

function get(query = '', token?: string, over = registry) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return over.app.inject({ url: `/api/registry/agents${query}`, headers })
}

interface Entry {
  [field: string]: unknown
  url: string
}

async function list(query = '', token?: string): Promise<Entry[]> {
  const answer = await get(query, token)
  expect([answer.statusCode, answer.json().error]).toEqual([200, undefined])
  const { agents, count, total } = answer.json()
  expect([count, total]).toEqual([agents.length, agents.length])
  return agents
}

const urls = async (query = '', token?: string) =>
  (await list(query, token)).map(agent => agent.url)

const all = [seller, down, meter, gauge, studio]

describe('visibility of agents', () => {
  test.each([
    ['anonymous', undefined],
    ['a wrong key', 'sk_wrong'],
    ['a member below API access', 'below'],
  ])('%s sees public ones', async (_, who) => {
    expect(await urls('', keys[who ?? ''] ?? who)).toEqual(all)
  })

  test.each(['member', 'owner'])(
    '%s sees those for members too, but no private ones',
    async who => {
      expect(await urls('', keys[who])).toEqual([seller, down, club, meter, gauge, studio])
    },
  )

  test('an agent that several members enrolled is listed once, with the facts of its own site', async () => {
    const own = await openRegistry()
    const url = 'https://agent.a.example/mcp'
    const names = async () =>
      (await get('', undefined, own)).json().agents.map((agent: Entry) => agent.name)
    const enrolBy = (org: string, domains: string[] = []) =>
      enrol(own, { org, tier: 'company_icl', domains, agents: [{ url: `${url}/` }] })
    await enrolBy('First')
    await own.publish()
    expect(await names()).toEqual(['First'])
    own.clock.tick(HOUR)
    await enrolBy('Second')
    expect(await names()).toEqual(['Second'])
    await own.submit({
      op: 'organization.domain.add',
      org: 'First',
      domain: 'a.example' as never,
      proof: 'http',
    })
    expect(await names()).toEqual(['First'])
    await own.close()
  })
})

describe('GET /api/registry/agents', () => {
  test('200: who an agent is, and nothing else unless requested', async () => {
    const answer = await get()
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'authorization, accept-encoding',
      'x-registry-seq': String(registry.reader.snapshot?.seq),
    })
    expect(answer.json().agents[0]).toEqual({
      url: seller,
      agent_url: seller,
      mcp_endpoint: seller,
      name: 'Agent',
      type: 'sales',
      protocol: 'mcp',
      description: 'Acme',
      contact: { name: 'Acme', email: '', website: '' },
      member: { slug: 'acme', display_name: 'Acme' },
      added_date: new Date(START).toISOString(),
    })
    expect(answer.json().agents[2]).toMatchObject({ name: 'Agent' })
  })

  test.each(['health=1', 'health=True', 'health=', 'health=true&health=true', 'capabilities=yes'])(
    '200: %s enables nothing',
    async query => {
      const [first] = await list(`?${query}`)
      expect(first).not.toHaveProperty('health')
      expect(first).not.toHaveProperty('capabilities')
    },
  )

  test('200: health, and what publishers authorize an agent for', async () => {
    const agents = await list('?health=true', keys.owner)
    expect(agents[0]).toMatchObject({
      health: {
        online: true,
        status: 'online',
        response_time_ms: 40,
        tools_count: 1,
        resources_count: 3,
        checked_at: new Date(START + HOUR).toISOString(),
      },
      stats: {
        property_count: 3,
        publisher_count: 2,
        creative_formats: 1,
        publishers: ['app.example', 'news.example'],
      },
    })
    expect(agents[1]).toMatchObject({
      health: { online: false, status: 'offline', error: 'timeout', response_time_ms: 10_000 },
    })
    expect(agents[1]?.health).not.toHaveProperty('tools_count')
    expect(agents[3]?.health, 'has no resources').not.toHaveProperty('resources_count')
    expect(agents[2], 'never probed').not.toHaveProperty('health')
  })

  test('200: the capabilities that agents declared', async () => {
    const [sold, , measured, , made] = await list('?capabilities=true')
    expect(sold?.capabilities).toEqual({
      tools_count: 1,
      tools: [{ name: 'get_products', description: 'Finds products' }],
      standard_operations: {
        can_search_inventory: true,
        can_get_availability: true,
        can_get_pricing: true,
        can_reserve_inventory: false,
        can_create_order: false,
        can_list_properties: false,
      },
    })
    expect(measured?.capabilities).toMatchObject({
      measurement_capabilities: {
        metrics: [
          {
            metric_id: 'viewability',
            accreditations: [{ accrediting_body: 'Council', verified_by_aao: false }],
          },
          { metric_id: 'attention' },
        ],
      },
    })
    expect(made?.capabilities).toMatchObject({
      creative_capabilities: {
        can_generate: false,
        can_validate: false,
        can_preview: false,
        supported_formats: [
          {
            capability_id: 'banner',
            format: { format_kind: 'image', params: { w: 1 } },
            operations: ['build', 'preview'],
          },
          { capability_id: 'spot' },
        ],
      },
    })
  })

  test('200: the inventory of sales agents that have any', async () => {
    const [sold, bought] = await list('?properties=true')
    expect(sold).toMatchObject({
      publisher_domains: ['app.example', 'news.example'],
      property_summary: {
        total_count: 3,
        publisher_count: 2,
        tags: ['all'],
        count_by_type: { website: 3 },
      },
    })
    expect(bought).not.toHaveProperty('property_summary')
  })

  test('200: an agent that was never tested has no compliance, and none is verified', async () => {
    for (const query of ['?verified=true', '?verification_mode=spec&verification_mode=live']) {
      const answer = await get(query)
      expect(answer.json()).toMatchObject({ agents: [], count: 0, total: 0 })
      expect(answer.headers['cache-control']).toBe('no-store')
    }
    const answer = await get('?compliance=true')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json().count).toBe(all.length)
    expect(answer.body).not.toContain('compliance')
  })

  test('200: pages, where requested', async () => {
    const answer = (await get('?limit=2&offset=1')).json()
    expect(answer).toMatchObject({ count: 2, total: 5 })
    expect(answer.agents.map((agent: Entry) => agent.url)).toEqual([down, meter])
  })

  test('200: a member’s change shows before the next snapshot, together with new facts', async () => {
    const own = await openRegistry()
    expect((await get('?health=true', undefined, own)).json()).toMatchObject({ agents: [] })
    const url = 'https://a.example/mcp'
    await own.observe(observePublisherFile('news.example', { sites: [], agents: [] }))
    await own.publish()
    await enrol(own, { org: 'A', tier: 'company_icl', agents: [{ url }] })
    const shown = async () => (await get('?health=true&capabilities=true', undefined, own)).json()
    expect((await shown()).agents).toHaveLength(1)
    for (const name of ['get_products', 'get_signals']) {
      own.clock.tick(HOUR)
      await own.observe(observeAgent(url, { tools: [{ name }] }))
      await own.publish()
      expect((await shown()).agents[0]).toMatchObject({
        health: { online: true, tools_count: 1 },
        capabilities: { tools: [{ name }] },
      })
    }
    await own.close()
  })

  test('200: an agent that requires a credential is online and says so', async () => {
    const own = await openRegistry()
    const url = 'https://a.example/mcp'
    await enrol(own, { org: 'A', tier: 'company_icl', agents: [{ url }] })
    await own.observe({ kind: 'agent', location: url, outcome: 'needs_auth', status: 401 })
    await own.publish()
    const answer = await get('?health=true&capabilities=true', undefined, own)
    expect(answer.json().agents[0]).toMatchObject({
      health: { status: 'online' },
      capabilities: { tools_count: 0, oauth_required: true },
    })
    await own.close()
  })
})

describe('filters', () => {
  test.each([
    ['type=sales', [seller]],
    ['type=rights', []],
    ['type=measurement', [meter, gauge]],
    ['metric_id=viewability', [meter]],
    ['metric_id=viewability&metric_id=Attention_Seconds', [meter, gauge]],
    ['metric_id=VIEWABILITY', []],
    ['metric_id=&q=', all],
    ['q=ATTENTION', [meter, gauge]],
    ['q=ATTENTION&type=measurement', [meter, gauge]],
    ['accreditation=Council', [meter]],
    ['accreditation=Council&accreditation=Board', [meter]],
    ['accreditation=Board&metric_id=attention', [meter]],
    ['accreditation=Council&metric_id=attention', []],
    ['accreditation=Council&q=atten', []],
    ['format_kind=image', [studio]],
    ['format_kind=audio', []],
    ['format_kind=audio&format_kind=video', [studio]],
    ['creative_operation=validate', [studio]],
    ['creative_operation=validate&creative_operation=build&format_kind=image', [studio]],
    ['creative_operation=validate&format_kind=image', []],
    ['publisher_domain=NEWS.example', [studio]],
    ['publisher_domain=news.example&capability_id=banner', [studio]],
    ['publisher_domain=news.example&capability_id=spot', []],
    ['format_option_id=none', []],
    ['format_kind=image&type=sales', []],
  ])('%s', async (query, expected) => {
    expect(await urls(`?${query}`)).toEqual(expected)
  })

  const many = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${name}=v${i}`).join('&')

  test.each([
    [
      'type=unknown',
      '`type` must be one of brand, rights, measurement, governance, creative, sales, buying, or signals',
    ],
    ['type=si', '`type` must be one of '],
    ['type=sales&type=brand', '`type` must be one of '],
    ['type=sales&metric_id=a', 'Only measurement agents have metrics.'],
    ['type=creative&q=a', 'Only measurement agents have metrics.'],
    ['q=a&format_kind=b', '`metric_id` cannot be combined with format filters'],
    ['q=a%25', '`q` must not contain % or _'],
    ['q=a_b', '`q` must not contain % or _'],
    [`q=${'a'.repeat(65)}`, '`q` must be at most 64 characters'],
    [many('metric_id', 21), '`metric_id` must be at most 20 values'],
    [many('accreditation', 21), '`accreditation` must be at most 20 values'],
    [`${many('metric_id', 11)}&${many('accreditation', 10)}`, 'at most 100 pairs'],
    ['source=crawled', '`source` is no longer a parameter'],
    ['limit=-1', '`limit` must be a whole number'],
  ])('400: %s', async (query, error) => {
    const answer = await get(`?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
  })

  test.each([
    ['creative_operation=make', ['build', 'validate', 'preview']],
    ['verification_mode=spec&verification_mode=x', ['spec', 'live']],
  ])('400: %s lists the allowed values', async (query, valid_values) => {
    const answer = await get(`?${query}`)
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { valid_values }])
  })

  test('twenty values, some of them repeated, are accepted', async () => {
    expect(await urls(`?${many('metric_id', 20)}&metric_id=v0&metric_id=v1`)).toEqual([])
  })
})
