import { beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildOperatorFile, publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, grantByIds } from '../support/worlds/nights.ts'

const registry = openForAll(openRegistry)
const keys: Record<string, string | undefined> = {}

const url = (name: string) => `https://${name}.acme.example/mcp`
const [shown, forMembers, hidden] = [url('shown'), url('members'), url('hidden')]

beforeAll(async () => {
  keys.owner = await enrol(registry, {
    org: 'Acme Ads',
    tier: 'company_leader',
    founding: true,
    domains: ['acme.example'],
    agents: [
      { url: shown, name: 'Shown' },
      { url: forMembers, visibility: 'members_only', type: 'signals' },
      { url: hidden, visibility: 'private' },
    ],
  })
  keys.member = await enrol(registry, { org: 'Other', tier: 'company_standard' })
  keys.below = await enrol(registry, { org: 'Small', tier: 'individual_academic' })
  keys.outsider = await registry.createKey('Nobody')
  keys.poorOwner = await enrol(registry, {
    org: 'Poor',
    tier: 'individual_academic',
    domains: ['poor.example'],
    public: false,
    agents: [
      { url: 'https://members.poor.example', visibility: 'members_only' },
      { url: 'https://hidden.poor.example', visibility: 'private' },
    ],
  })
  await registry.observe(
    observePublisherFile('news.example', { sites: ['news.example'], agents: [shown, hidden] }),
    observePublisherFile('daily.example', { sites: ['daily.example'], agents: [shown] }),
  )
  await registry.publish()
})

function get(query: string, token?: string, over = registry) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return over.app.inject({ url: `/api/registry/operator${query}`, headers })
}

async function listAgents(query: string, token?: string): Promise<string[]> {
  const answer = await get(query, token)
  expect(answer.statusCode).toBe(200)
  return answer.json().agents.map((agent: { url: string }) => agent.url)
}

describe('visibility of agents', () => {
  const all = [shown, forMembers, hidden]
  const some = [shown, forMembers]
  const table: [string, string, string[]][] = [
    ['anonymous', 'all', [shown]],
    ['anonymous', 'public', [shown]],
    ['anonymous', 'member', [shown]],
    ['anonymous', 'private', []],
    ['wrong', 'all', [shown]],
    ['wrong', 'private', []],
    ['outsider', 'all', [shown]],
    ['outsider', 'private', []],
    ['below', 'all', [shown]],
    ['below', 'public', [shown]],
    ['below', 'member', [shown]],
    ['below', 'private', []],
    ['member', 'all', some],
    ['member', 'public', [shown]],
    ['member', 'member', some],
    ['member', 'private', []],
    ['owner', 'all', all],
    ['owner', 'public', [shown]],
    ['owner', 'member', some],
    ['owner', 'private', [hidden]],
  ]
  test.each(table)('%s asking for %s', async (who, scope, expected) => {
    const token = who === 'wrong' ? 'sk_wrong' : keys[who]
    expect(await listAgents(`?domain=acme.example&scope=${scope}`, token)).toEqual(expected)
    if (scope === 'all') expect(await listAgents('?domain=acme.example', token)).toEqual(expected)
  })

  test('an owner without API access sees all its own agents, and no member-only ones', async () => {
    const asked = (scope: string) =>
      listAgents(`?domain=poor.example&scope=${scope}`, keys.poorOwner)
    const [members, own] = ['https://members.poor.example', 'https://hidden.poor.example']
    expect(await asked('all')).toEqual([members, own])
    expect(await asked('member')).toEqual([])
    expect(await asked('private')).toEqual([own])
  })

  test('an invalid or revoked credential counts as none', async () => {
    for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer eyJ.a.b', '']) {
      const answer = await registry.send('GET', '/api/registry/operator?domain=acme.example', {
        headers: { authorization },
      })
      expect(answer.statusCode).toBe(200)
      expect(answer.json().agents).toHaveLength(1)
      expect(answer.headers).not.toHaveProperty('www-authenticate')
    }
  })

  test('a lost tier takes effect at once', async () => {
    const own = await openRegistry()
    const owner = await enrol(own, {
      org: 'A',
      tier: 'company_icl',
      domains: ['a.example'],
      agents: [{ url: 'https://a.example/one' }],
    })
    const member = await enrol(own, { org: 'B', tier: 'company_icl' })
    const listNames = async (token?: string) =>
      (await get('?domain=a.example', token, own)).json().agents.length
    expect([await listNames(), await listNames(member)]).toEqual([1, 1])
    await own.submit({ op: 'member.tier', org: 'A', tier: null })
    expect([await listNames(), await listNames(member), await listNames(owner)]).toEqual([0, 1, 1])
    await own.submit({ op: 'member.tier', org: 'B', tier: 'individual_academic' })
    expect(await listNames(member)).toBe(0)
    await own.close()
  })
})

/** Side of an operator whose brand.json was never read. */
const notRead = { operator_side: 'unknown', operator_reason: 'no_brand_file' }
const lastPage = { has_more: false, next_cursor: null }

describe('GET /api/registry/operator', () => {
  test('200: the member behind a domain, its agents and the publishers that authorize them', async () => {
    const answer = await get('?domain=https://Acme.example/about', keys.owner)
    expect(answer.headers).toMatchObject({
      vary: 'authorization',
      'cache-control': 'private, no-cache',
      'access-control-allow-origin': '*',
    })
    expect(answer.json()).toEqual({
      domain: 'acme.example',
      member: {
        slug: 'acme-ads',
        display_name: 'Acme Ads',
        is_founding_member: true,
        membership_tier: 'company_leader',
        membership_tier_label: 'Leader',
      },
      agents: [
        {
          url: shown,
          name: 'Shown',
          type: 'sales',
          authorized_by: [
            {
              publisher_domain: 'daily.example',
              authorized_for: 'inventory of daily.example',
              source: 'adagents_json',
              authorization_types: ['property_tags'],
              ...notRead,
            },
            {
              publisher_domain: 'news.example',
              authorized_for: 'inventory of news.example',
              source: 'adagents_json',
              authorization_types: ['property_tags'],
              ...notRead,
            },
          ],
        },
        { url: forMembers, name: 'Acme Ads', type: 'signals', authorized_by: [] },
        {
          url: hidden,
          name: 'Acme Ads',
          type: 'sales',
          authorized_by: [
            {
              publisher_domain: 'news.example',
              authorized_for: 'inventory of news.example',
              source: 'adagents_json',
              authorization_types: ['property_tags'],
              ...notRead,
            },
          ],
        },
      ],
      ...lastPage,
      freshness: { state: 'never_crawled' },
    })
  })

  test('200: a private profile hides its membership', async () => {
    expect((await get('?domain=poor.example')).json()).toEqual({
      domain: 'poor.example',
      member: { slug: 'poor', display_name: 'Poor' },
      agents: [],
      ...lastPage,
      freshness: { state: 'never_crawled' },
    })
  })

  test('200: a subdomain belongs to the owner of the domain, unless another one verified it', async () => {
    const own = await openRegistry()
    await enrol(own, { org: 'Above', domains: ['a.example'] })
    await enrol(own, { org: 'Below', domains: ['b.a.example'] })
    const slug = async (domain: string) =>
      (await get(`?domain=${domain}`, undefined, own)).json().member?.slug
    expect(await slug('a.example')).toBe('above')
    expect(await slug('x.y.a.example')).toBe('above')
    expect(await slug('c.b.a.example')).toBe('below')
    expect(await slug('ba.example')).toBeUndefined()
    await own.submit({
      op: 'organization.domain.remove',
      org: 'Below',
      domain: 'b.a.example' as never,
    })
    expect(await slug('c.b.a.example')).toBe('above')
    await own.close()
  })

  test('200: cached answers change with each relevant commit', async () => {
    const own = await openRegistry()
    const agent = 'https://a.example/one'
    const owner = await enrol(own, {
      org: 'A',
      tier: 'company_leader',
      domains: ['a.example'],
      agents: [{ url: agent, name: 'One' }],
    })
    const listNames = async (token?: string) => {
      const { member, agents } = (await get('?domain=a.example', token, own)).json()
      const trusting = agents.map((one: { authorized_by: { publisher_domain: string }[] }) =>
        one.authorized_by.map(({ publisher_domain }) => publisher_domain),
      )
      return [member?.display_name, agents.map((one: { name: string }) => one.name), trusting]
    }
    const changes: [() => Promise<unknown>, unknown[], unknown[]][] = [
      [async () => undefined, ['A', ['One'], [[]]], ['A', ['One'], [[]]]],
      [
        () =>
          own.observe(observePublisherFile('p.example', { sites: ['p.example'], agents: [agent] })),
        ['A', ['One'], [['p.example']]],
        ['A', ['One'], [['p.example']]],
      ],
      [
        () => own.submit({ op: 'member.agent.save', org: 'A', url: agent, visibility: 'private' }),
        ['A', [], []],
        ['A', ['One'], [['p.example']]],
      ],
      [
        () => own.submit({ op: 'member.agent.save', org: 'A', url: agent, name: 'Two' }),
        ['A', [], []],
        ['A', ['Two'], [['p.example']]],
      ],
      [
        () => own.observe(observePublisherFile('p.example', { sites: ['p.example'], agents: [] })),
        ['A', [], []],
        ['A', ['Two'], [[]]],
      ],
      [
        () => own.submit({ op: 'member.update', org: 'A', display_name: 'B' }),
        ['B', [], []],
        ['B', ['Two'], [[]]],
      ],
    ]
    for (const [change, anybody, itself] of changes) {
      await change()
      own.clock.tick(1_000)
      expect(await listNames()).toEqual(anybody)
      expect(await listNames(owner)).toEqual(itself)
    }
    await own.close()
  })

  test('200: the domain of no member shows the agents of its brand.json, to every caller', async () => {
    const declared = ['https://sell.lone.example/a', 'https://sell.lone.example/b']
    await publishFiles(registry, {
      'brand lone.example': { ...buildOperatorFile(declared, []), names: [{ en: 'Lone' }] },
      // Anybody can name anybody's agent: where its own site does, others are not heard.
      'brand stranger.example': buildOperatorFile([declared[0]!], []),
      'sold.example': buildShop('sold.example', { authorized_agents: [grantByIds(declared[0]!)] }),
    })
    for (const [scope, token] of [
      ['all', undefined],
      ['public', keys.owner],
      ['member', undefined],
    ] as const) {
      const answer = await get(`?domain=lone.example&scope=${scope}`, token)
      expect(answer.json()).toMatchObject({
        domain: 'lone.example',
        member: null,
        freshness: { state: 'current' },
        agents: [
          {
            url: declared[0],
            name: 'Lone',
            type: 'sales',
            source: 'brand_json',
            authorized_by: [{ publisher_domain: 'sold.example', source: 'adagents_json' }],
          },
          { url: declared[1], authorized_by: [] },
        ],
      })
    }
    expect((await get('?domain=lone.example&scope=private')).json().agents).toEqual([])
    expect((await get('?domain=stranger.example')).json().agents).toEqual([])
    await publishFiles(registry, { 'brand lone.example': buildOperatorFile(declared.slice(1), []) })
    expect((await get('?domain=lone.example')).json().agents).toHaveLength(1)
    expect(await registry.verify()).toEqual([])
  })

  test('200: the domain of no member without a brand.json has nothing', async () => {
    for (const token of [undefined, keys.owner]) {
      const answer = await get('?domain=nobody.example&scope=PRIVATE', token)
      expect(answer.json()).toEqual({
        domain: 'nobody.example',
        member: null,
        agents: [],
        ...lastPage,
        freshness: { state: 'never_crawled' },
      })
    }
  })

  test('200: many agents and publishers are cut and counted', async () => {
    const own = await openRegistry()
    const agents = Array.from({ length: 25 }, (_, i) => ({ url: `https://many.example/${i}` }))
    await enrol(own, { org: 'Many', tier: 'company_leader', domains: ['many.example'], agents })
    const publishers = Array.from({ length: 120 }, (_, i) => `p${i}.example`)
    await own.observe(
      ...publishers.map(domain =>
        observePublisherFile(domain, { sites: [domain], agents: ['https://many.example/0'] }),
      ),
    )
    await own.publish()
    const answer = await get('?domain=many.example', undefined, own)
    expect(answer.body.length).toBeLessThan(256 * 1024)
    const body = answer.json()
    expect(body).toMatchObject({ agents_total: 25, agents_truncated: true })
    expect(body.agents).toHaveLength(20)
    expect(body.agents[0]).toMatchObject({
      authorized_by_total: 120,
      authorized_by_truncated: true,
    })
    expect(body.agents[0].authorized_by).toHaveLength(100)
    expect(body).toMatchObject({ has_more: true, next_cursor: '20' })
    const rest = (await get('?domain=many.example&cursor=20', undefined, own)).json()
    expect(rest).toMatchObject({ agents_total: 25, ...lastPage })
    const urls = [...body.agents, ...rest.agents].map(({ url }: { url: string }) => url)
    expect(new Set(urls).size).toBe(25)
    const small = (await get('?domain=many.example&limit=2&cursor=24', undefined, own)).json()
    expect(small.agents).toEqual(rest.agents.slice(4))
    await own.close()
  })

  test.each([
    ['', '`domain` is required'],
    ['?domain=acme', '`domain` must be a domain name such as acme.example'],
    ['?domain=acme.example&scope=none', '`scope` must be one of all, public, member, or private'],
    ['?domain=acme.example&scope=all&scope=public', '`scope` must be a single value'],
  ])('400: %s is named in the error, for every caller', async (query, error) => {
    for (const token of [undefined, keys.owner]) {
      const answer = await get(query, token)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).toContain(error)
    }
  })
})
