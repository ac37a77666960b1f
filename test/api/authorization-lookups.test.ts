import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
} from '../support/worlds/nights.ts'

const agent = 'https://agent.example/Sell/mcp'
const other = 'https://agent.example/sell/other'
const names = ['a', 'b', 'c', 'd', 'e'].map(name => `${name}.example`)
const encoded = encodeURIComponent
const nobody = { agents: [], count: 0, has_more: false, next_cursor: null }
const registry = openForAll(openRegistry)

beforeAll(async () => {
  await publishFiles(
    registry,
    Object.fromEntries(
      names.map(domain => [domain, buildShop(domain, { authorized_agents: [grantByIds(agent)] })]),
    ),
  )
  await publishFiles(registry, {
    'network.example': {
      properties: [
        buildWebsite('child.example', {
          identifiers: [{ type: 'domain', value: 'child.example' }],
        }),
        buildWebsite('child.example', {
          property_id: undefined,
          name: 'nameless',
          identifiers: [{ type: 'domain', value: 'x.child.example' }],
        }),
        buildWebsite('left.example'),
      ],
      authorized_agents: [
        grantBySelectors(other, {
          publisher_domains: ['child.example', 'left.example'],
          selection_type: 'all',
        }),
      ],
    },
    'child.example': buildPointer('network.example'),
    'left.example': buildPointer('network.example'),
  })
  await registry.publish()
})

const get = (url: string, headers = {}) => registry.app.inject({ url, headers })
const askPublishers = (url: string, query = '') =>
  get(`/v1/agents/${encoded(url)}/publishers${query}`)

describe('GET /v1/agents/{encodedUrl}/publishers', () => {
  test('200: the publishers of an agent by domain, with the time their files were read', async () => {
    const answer = await askPublishers(agent)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('public, max-age=60')
    expect(answer.json()).toEqual({
      agent_url: agent,
      directory_indexed_at: '2026-11-20T03:00:00.000Z',
      freshness: expect.objectContaining({ state: 'current', http_status: 200 }),
      publishers: names.map(publisher_domain => ({
        publisher_domain,
        discovery_method: 'direct',
        manager_domain: null,
        properties_authorized: 1,
        properties_total: 1,
        signing_keys_pinned: false,
        status: 'authorized',
        authorization_types: ['property_ids'],
        operator_side: 'unknown',
        operator_reason: 'no_brand_file',
        last_verified_at: '2026-11-20T03:00:00.000Z',
      })),
      has_more: false,
      next_cursor: null,
    })
    const alias = await get(`/api/v1/agents/${encoded(agent)}/publishers`)
    expect(alias.json()).toEqual(answer.json())
  })

  test('200: properties without an id are not counted as authorized; ids are listed on request', async () => {
    const { publishers } = (await askPublishers(other, '?include=properties')).json()
    expect(publishers).toMatchObject([
      {
        publisher_domain: 'child.example',
        discovery_method: 'authoritative_location',
        manager_domain: 'network.example',
        properties_authorized: 1,
        properties_total: 2,
        property_ids: ['site'],
      },
      { publisher_domain: 'left.example', property_ids: ['site'] },
    ])
  })

  test('200: pages are complete', async () => {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const page = (await askPublishers(agent, `?limit=2${cursor && `&cursor=${cursor}`}`)).json()
      expect(page.publishers.length).toBeLessThanOrEqual(2)
      ids.push(...page.publishers.map((one: { publisher_domain: string }) => one.publisher_domain))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(ids).toEqual(names)
  })

  test('200: publishers verified since a time; none since a later one', async () => {
    const count = async (since: string) =>
      (await askPublishers(agent, `?since=${encoded(since)}`)).json().publishers.length
    expect(await count('2026-11-20T04:00:00+01:00')).toBe(5)
    expect(await count('2026-11-20T03:00:01Z')).toBe(0)
  })

  test('304: for a client that has the page', async () => {
    const { headers } = await askPublishers(agent)
    const again = await get(`/v1/agents/${encoded(agent)}/publishers`, {
      'if-none-match': headers.etag,
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect(again.headers['cache-control']).toBe('public, max-age=60')
    const paged = await get(`/v1/agents/${encoded(agent)}/publishers?limit=1`, {
      'if-none-match': headers.etag,
    })
    expect(paged.statusCode).toBe(200)
  })

  test('200: an invalid limit falls back to the default or the maximum', async () => {
    for (const limit of ['0', '-1', 'many', '5000', '1e3']) {
      expect((await askPublishers(agent, `?limit=${limit}`)).json().publishers).toHaveLength(5)
    }
  })

  test('404: an unknown agent, unless other parameters are given', async () => {
    const nobody = 'https://nobody.example/mcp'
    const answer = await askPublishers(`${nobody}/`)
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({ error: expect.any(String), agent_url: nobody })
    expect((await askPublishers(nobody, '?status=authorized')).json()).toEqual({
      agent_url: nobody,
      directory_indexed_at: null,
      publishers: [],
      has_more: false,
      next_cursor: null,
      freshness: { state: 'never_crawled' },
    })
  })

  test.each([
    ['?status=authorized,revoked', 'status'],
    ['?status=maybe', 'status'],
    ['?include=properties,more', 'include'],
    ['?since=yesterday', 'since'],
    ['?cursor=%00', 'cursor'],
    [`?cursor=${Buffer.from('a b.example').toString('base64url')}`, 'cursor'],
    [`?cursor=${Buffer.from('a.example\n').toString('base64url')}`, 'cursor'],
  ])('400: %s is refused by name', async (query, name) => {
    const answer = await askPublishers(agent, query)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toMatch(new RegExp(`^\`${name}\` `))
  })

  test.each(['%zz', '%', 'not%20a%20url', 'https%3A%2F%2Fu%3Ap%40agent.example', '%2Fv1%2Fagents'])(
    '400: the path %s is refused',
    async path => {
      for (const url of [
        `/v1/agents/${path}/publishers`,
        `/api/registry/lookup/agent/${path}/domains`,
      ]) {
        const answer = await get(url)
        expect(answer.statusCode).toBe(400)
        expect(answer.json().error).toEqual(expect.any(String))
      }
    },
  )

  test('an address is decoded once: an escape in it stays one', async () => {
    const odd = 'https://agent.example/a%2Fb'
    await publishFiles(registry, {
      'odd.example': buildShop('odd.example', { authorized_agents: [grantByIds(odd)] }),
    })
    expect((await askPublishers(odd)).json()).toMatchObject({
      agent_url: odd,
      publishers: [{ publisher_domain: 'odd.example' }],
    })
    expect((await askPublishers('https://agent.example/a/b')).statusCode).toBe(404)
  })

  test('200: publishers whose file revoked the agent are marked as revoked', async () => {
    const own = await openRegistry()
    const files = {
      'p.example': buildShop('p.example', { authorized_agents: [grantByIds(agent)] }),
    }
    await publishFiles(own, files)
    own.clock.tick(DAY)
    const revoked_publisher_domains = [
      { publisher_domain: 'p.example', revoked_at: '2026-11-20T00:00:00Z' },
    ]
    await publishFiles(own, { 'p.example': { ...files['p.example'], revoked_publisher_domains } })
    await own.publish()
    const ask = async (query: string, url = agent) =>
      (await own.app.inject(`/v1/agents/${encoded(url)}/publishers${query}`)).json()
    expect((await ask('?status=authorized')).publishers).toEqual([])
    for (const query of [
      '?status=revoked',
      '?status=authorized&status=revoked&include=properties',
    ]) {
      expect((await ask(query)).publishers).toMatchObject([
        { publisher_domain: 'p.example', status: 'revoked', properties_authorized: 0 },
      ])
    }
    expect((await ask('?status=revoked', other)).publishers).toEqual([])
    await own.close()
  })

  test('a publisher that names an agent only changes the answer for that pair', async () => {
    const before = registry.reader.serving!.count('reach')
    await publishFiles(registry, {
      'late.example': buildShop('late.example', {
        authorized_agents: [grantByIds(agent), grantByIds(other)],
      }),
    })
    expect(registry.reader.serving!.count('reach')).toBe(before + 2)
    await publishFiles(registry, {
      'late.example': buildShop('late.example', { authorized_agents: [grantByIds(other)] }),
    })
    expect(registry.reader.serving!.count('reach')).toBe(before + 1)
    expect(await registry.verify()).toEqual([])
  })
})

describe('GET /api/registry/lookup/agent/{agentUrl}/domains', () => {
  const askDomains = (url: string, query = '') =>
    get(`/api/registry/lookup/agent/${encoded(url)}/domains${query}`)

  test('200: its publishers by name, whatever the slashes and case; the URL is echoed', async () => {
    for (const url of [agent, `${agent}//`, agent.toUpperCase()]) {
      const body = (await askDomains(url)).json()
      expect(body).toMatchObject({ agent_url: url, domains: expect.arrayContaining(names) })
      expect(body.count).toBe(body.domains.length)
    }
    expect((await askDomains(other)).json().domains).not.toContain('a.example')
  })

  test('200: long lists are cut and continued', async () => {
    const { count } = (await askDomains(agent)).json()
    const first = (await askDomains(agent, '?limit=2')).json()
    expect(first).toMatchObject({
      domains: names.slice(0, 2),
      count: 2,
      domains_total: count,
      domains_truncated: true,
      next_cursor: 'b.example',
    })
    const next = (await askDomains(agent, `?limit=${count}&cursor=b.example`)).json()
    expect(next.domains.slice(0, 3)).toEqual(names.slice(2))
    expect(next).toMatchObject({ has_more: false, next_cursor: null })
  })

  test('200: an unknown agent has none', async () => {
    const url = 'https://nobody.example'
    const freshness = { state: 'never_crawled' }
    const none = { domains: [], grants: [], count: 0 }
    const nothing = { ...none, freshness, has_more: false, next_cursor: null }
    expect((await askDomains(url)).json()).toEqual({ ...nothing, agent_url: url })
    expect((await askDomains('*')).json()).toEqual({ ...nothing, agent_url: '*' })
  })
})

describe('GET /api/registry/lookup/property', () => {
  const lookUp = (type: string, value: string, more = '') =>
    get(`/api/registry/lookup/property?type=${encoded(type)}&value=${encoded(value)}${more}`)

  test('200: the agents of an identifier’s property; type and value are echoed', async () => {
    expect((await lookUp('domain', 'WWW.child.example')).json()).toMatchObject({
      type: 'domain',
      value: 'WWW.child.example',
      agents: [
        {
          agent_url: other,
          publisher_domain: 'child.example',
          property: {
            property_id: 'site',
            publisher_domain: 'child.example',
            property_type: 'website',
            name: 'child.example',
            identifiers: [{ type: 'domain', value: 'child.example' }],
            tags: ['all'],
          },
        },
      ],
      count: 1,
    })
  })

  test('200: an identifier that nobody lists has no agents', async () => {
    for (const [type, value] of [
      ['domain', 'nobody.example'],
      ['ios_bundle', 'child.example'],
      ['domain', '*.nobody.example'],
    ] as const) {
      const freshness = type === 'domain' && { freshness: { state: 'never_crawled' } }
      const { agents, count, ...end } = nobody
      expect((await lookUp(type, value)).json()).toEqual({
        type,
        value,
        agents,
        count,
        ...freshness,
        ...end,
      })
    }
  })

  test('400: a type named like a property of JavaScript objects is just unknown', async () => {
    for (const type of ['__proto__', 'constructor', 'toString']) {
      const answer = await lookUp(type, 'A.example')
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).not.toContain('Did you mean')
    }
  })

  test('400: type and value are required', async () => {
    for (const query of ['', '?type=domain', '?value=a.example', '?type=&value=a.example']) {
      expect((await get(`/api/registry/lookup/property${query}`)).statusCode).toBe(400)
    }
  })
})

describe('an identifier that many publishers list', () => {
  const many = Array.from({ length: 12 }, (_, n) => `m${String(n).padStart(2, '0')}.example`)
  const app = { type: 'bundle_id', value: 'com.shared.app' }
  const listing = (domain: string, agents = [grantByIds(other)]) => ({
    properties: [
      buildWebsite(domain, {
        property_type: 'mobile_app',
        name: `App “${domain}”`,
        identifiers: [app],
      }),
    ],
    authorized_agents: agents,
  })
  const sellers = async () => {
    const { agents } = (
      await get(`/api/registry/lookup/property?type=${app.type}&value=${app.value}`)
    ).json()
    return agents.map((one: { publisher_domain: string }) => one.publisher_domain)
  }
  const sale = async (asked = other) =>
    (
      await get(
        `/api/registry/validate/property-authorization?agent_url=${encoded(asked)}&identifier_type=${app.type}&identifier_value=${app.value}`,
      )
    ).json()

  test('finds those that list it, from one to many and back again', async () => {
    for (const listed of [1, 2, 8, 9, 12]) {
      await publishFiles(
        registry,
        Object.fromEntries(many.slice(0, listed).map(domain => [domain, listing(domain)])),
      )
      expect(await sellers()).toEqual(many.slice(0, listed))
      expect(await registry.verify()).toEqual([])
    }
    expect(await sale()).toMatchObject({ authorized: true, property_id: 'site' })
    for (const listed of [9, 8, 1]) {
      await publishFiles(
        registry,
        Object.fromEntries(many.slice(listed).map(domain => [domain, buildShop(domain)])),
      )
      expect(await sellers()).toEqual(many.slice(0, listed))
      expect(await registry.verify()).toEqual([])
    }
    expect(await sale()).toMatchObject({ authorized: true, publisher_domain: many[0] })
    expect(await sale('https://nobody.example')).toMatchObject({
      authorized: false,
      sides: { publisher: 'mismatch', operator: 'unknown' },
    })
  })
})

test('200: that nobody can sell a domain says how its file was last read', async () => {
  const ask = async (type: string, value: string) =>
    (await get(`/api/registry/lookup/property?${new URLSearchParams({ type, value })}`)).json()
  expect(await ask('domain', 'nobody-knows.example')).toMatchObject({
    agents: [],
    freshness: { state: 'never_crawled' },
  })
  expect(await ask('ios_bundle', 'com.nobody.knows')).not.toHaveProperty('freshness')
})

test('200: the sellers of a property come with the freshness of the files that name them', async () => {
  const own = await openRegistry()
  const lookUp = async () =>
    (await own.app.inject('/api/registry/lookup/property?type=domain&value=shop.example')).json()
  await publishFiles(own, {
    'shop.example': buildShop('shop.example', { authorized_agents: [grantByIds(agent)] }),
  })
  expect(await lookUp()).toMatchObject({ count: 1, freshness: { state: 'current' } })
  own.clock.tick({ days: 3 })
  expect(await lookUp()).toMatchObject({ count: 1, freshness: { state: 'stale' } })
  await own.close()
})

test.each([
  ['domain', 'subdomain'],
  ['subdomain', 'domain'],
])('200: a check of a host as %s says that it is listed as %s', async (asked, listed) => {
  const own = await openRegistry()
  const value = 'archive.shop.example'
  const identifiers = [{ type: listed, value }]
  await publishFiles(own, {
    'shop.example': buildShop('shop.example', {
      properties: [buildWebsite('shop.example', { property_id: 'site', identifiers })],
      authorized_agents: [grantByIds(agent)],
    }),
  })
  const check = async (identifier_type: string, identifier_value = value) => {
    const sale = { agent_url: agent, identifier_type, identifier_value, explain: 'true' }
    const path = `/api/registry/validate/property-authorization?${new URLSearchParams(sale)}`
    return (await own.app.inject(path)).json()
  }
  expect(await check(listed)).toMatchObject({ authorized: true })
  expect((await check(asked)).evidence[0]).toMatchObject({
    rule: 'identifier_of_other_type',
    text: `no publisher lists an active property with this identifier, but shop.example lists one as a \`${listed}\`: check it with that type`,
  })
  expect((await check(asked, 'nobody.example')).evidence[0].rule).toBe('identifier_not_known')
  await own.close()
})

test('400: a value that is missing is reported once', async () => {
  const { error } = (await get('/api/registry/lookup/property?type=domain&value=')).json()
  expect(error).toBe('`value` must not be empty.')
})

test.each([
  ['Domian', 'domain'],
  ['Domain', 'domain'],
  ['website', 'domain'],
  ['ios_bundel', 'ios_bundle'],
])('400: a type of identifier that nobody uses is a typo: %s', async (type, meant) => {
  const value = 'a.example'
  for (const path of [
    `/api/registry/lookup/property?${new URLSearchParams({ type, value })}`,
    `/api/registry/validate/property-authorization?${new URLSearchParams({
      agent_url: agent,
      identifier_type: type,
      identifier_value: value,
    })}`,
  ]) {
    const answer = await get(path)
    expect(answer.statusCode).toBe(400)
    const { error, valid_values } = answer.json()
    expect(error).toContain(`Did you mean "${meant}"?`)
    expect(valid_values).toContain('domain')
  }
})
