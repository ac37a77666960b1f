import { beforeAll, describe, expect, test } from 'vitest'
import { buildOperatorFile, publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://mcp.seller.example/sales'
const validate = '/api/registry/validate/product-authorization'
const expand = '/api/registry/expand/product-identifiers'
const shopDomain = 'shop.example'
const registry = openForAll(openRegistry)

const named = (id: string, tags: string[], more = {}) =>
  buildWebsite(shopDomain, {
    property_id: id,
    name: id,
    tags,
    identifiers: [{ type: 'domain', value: `${id}.${shopDomain}` }],
    ...more,
  })

beforeAll(async () => {
  const app = { property_type: 'mobile_app', identifiers: [{ type: 'ios_bundle', value: 'x.app' }] }
  await publishFiles(registry, {
    [shopDomain]: {
      properties: [
        named('news', ['text', 'daily']),
        named('sport', ['text', 'live']),
        named('film', ['video']),
        named('app', ['video', 'live'], app),
      ],
      authorized_agents: [
        grantByIds(agent, { property_ids: ['news', 'sport'], delegation_type: 'direct' }),
        grantByIds(agent, { property_ids: ['app'], countries: ['GB'] }),
      ],
    },
    'wide.example': {
      properties: [buildWebsite('wide.example')],
      authorized_agents: [grantByIds(agent)],
    },
    'claimed.example': { properties: [buildWebsite('claimed.example')], authorized_agents: [] },
    'brand seller.example': buildOperatorFile(
      [agent],
      [
        { identifier: 'news.shop.example', relationship: 'direct' },
        { identifier: 'sport.shop.example', relationship: 'ad_network' },
        { identifier: 'claimed.example', relationship: 'delegated' },
      ],
    ),
  })
})

const post = (url: string, payload: unknown) =>
  registry.app.inject({ method: 'POST', url, payload: payload as object })
const ask = async (url: string, publisher_properties: unknown[], more = {}) => {
  const answer = await post(url, { agent_url: agent, publisher_properties, ...more })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}
const of = (more: object = {}) => ({ publisher_domain: shopDomain, ...more })

describe('POST /api/registry/validate/product-authorization', () => {
  test('names the publisher without www. where the registry knows only that one', async () => {
    const named = ['www.wide.example', 'www.none.example', 'wide.example']
    const { selectors } = await ask(
      validate,
      named.map(publisher_domain => ({ publisher_domain })),
    )
    expect(selectors.map(({ did_you_mean }: { did_you_mean?: string[] }) => did_you_mean)).toEqual([
      ['wide.example'],
      undefined,
      undefined,
    ])
  })

  test.each<[string, object, object]>([
    [
      'all',
      of({ selection_type: 'all' }),
      { selection_type: 'all', requested_count: 4, authorized_count: 1 },
    ],
    [
      'nothing said, which means all',
      of(),
      { selection_type: 'all', requested_count: 4, authorized_count: 1 },
    ],
    [
      'ids',
      of({ selection_type: 'by_id', property_ids: ['news', 'sport', 'none'] }),
      {
        selection_type: 'by_id',
        requested_count: 3,
        authorized_count: 1,
        unauthorized_items: ['sport', 'none'],
      },
    ],
    [
      'ids without a type',
      of({ property_ids: ['news'] }),
      { selection_type: 'by_id', requested_count: 1, authorized_count: 1, unauthorized_items: [] },
    ],
    [
      'tags',
      of({ selection_type: 'by_tag', property_tags: ['text', 'video'] }),
      {
        selection_type: 'by_tag',
        requested_count: 4,
        authorized_count: 1,
        unauthorized_items: ['video'],
      },
    ],
    [
      'tags of the other dialect, without a type',
      of({ tags: ['daily'] }),
      { selection_type: 'by_tag', requested_count: 1, authorized_count: 1, unauthorized_items: [] },
    ],
    [
      'types of properties',
      of({ property_types: ['mobile_app'] }),
      { selection_type: 'all', requested_count: 1, authorized_count: 0 },
    ],
    [
      'a publisher as pasted',
      { publisher_domain: ' HTTPS://Wide.example/. ' },
      {
        publisher_domain: 'wide.example',
        requested_count: 1,
        authorized_count: 1,
        source: 'adagents_json',
      },
    ],
    [
      'a publisher that only the operator claims',
      { publisher_domain: 'claimed.example' },
      { requested_count: 1, authorized_count: 0, source: 'agent_claim' },
    ],
    [
      'a publisher nobody knows',
      { publisher_domain: 'nobody.example', property_ids: ['a'] },
      { requested_count: 1, authorized_count: 0, unauthorized_items: ['a'], source: 'none' },
    ],
    [
      'no publisher',
      { property_ids: ['a'] },
      { publisher_domain: null, requested_count: 1, authorized_count: 0, source: 'none' },
    ],
  ])('200: a selector of %s', async (_name, selector, expected) => {
    const { selectors } = await ask(validate, [selector])
    expect(selectors).toMatchObject([expected])
  })

  test('200: a product is authorized when all of it is, and confirmed when both sides agree', async () => {
    expect(await ask(validate, [of({ property_ids: ['news'] })])).toMatchObject({
      agent_url: agent,
      authorized: true,
      confirmed: true,
      coverage_percentage: 100,
      total_requested: 1,
      total_authorized: 1,
      sides: { publisher: 'match', operator: 'match' },
    })
    const both = [of({ property_ids: ['news', 'film'] }), { publisher_domain: 'wide.example' }]
    expect(await ask(validate, both)).toMatchObject({
      authorized: false,
      confirmed: false,
      coverage_percentage: 67,
      total_requested: 3,
      total_authorized: 2,
      sides: { publisher: 'mismatch', operator: 'unknown' },
    })
    expect(await ask(validate, [])).toMatchObject({
      authorized: false,
      coverage_percentage: 0,
      total_requested: 0,
      selectors: [],
    })
  })

  test('200: further restrictions of the question apply: a country, a delegation', async () => {
    const app = [of({ property_ids: ['app'] })]
    expect((await ask(validate, app)).authorized).toBe(false)
    expect((await ask(validate, app, { country: 'GB' })).authorized).toBe(true)
    const selling = [of({ property_ids: ['news'] })]
    expect((await ask(validate, selling, { delegation_type: 'delegated' })).authorized).toBe(false)
    expect((await ask(validate, selling, { delegation_type: 'direct' })).authorized).toBe(true)
  })

  test('200: what only a country opens is told by `needs`, as a whole and of its selector', async () => {
    const selectors = [of({ property_ids: ['news'] }), of({ property_ids: ['app'] })]
    const closed = await ask(validate, selectors)
    expect(closed).toMatchObject({ authorized: false, needs: 'country' })
    expect(closed.selectors[0]).not.toHaveProperty('needs')
    expect(closed.selectors[1]).toMatchObject({ authorized_count: 0, needs: 'country' })
    for (const country of ['GB', 'FR']) {
      const asked = await ask(validate, selectors, { country })
      expect(asked.authorized).toBe(country === 'GB')
      expect(asked).not.toHaveProperty('needs')
      for (const selector of asked.selectors) expect(selector).not.toHaveProperty('needs')
    }
    const [, app] = selectors
    const expanded = await ask(expand, [app])
    expect(expanded).toMatchObject({ property_count: 0, needs: 'country' })
    const inBritain = await ask(expand, [app], { country: 'GB' })
    expect(inBritain.property_count).toBe(1)
    expect(inBritain).not.toHaveProperty('needs')
  })

  test('200: a selector may name several publishers', async () => {
    const selector = { publisher_domains: [shopDomain, 'wide.example'], selection_type: 'all' }
    const { selectors } = await ask(validate, [selector])
    expect(selectors.map((one: { publisher_domain: string }) => one.publisher_domain)).toEqual([
      shopDomain,
      'wide.example',
    ])
  })

  test('200: with explain each sale is listed once, unknown properties too', async () => {
    const twice = [of({ property_ids: ['news', 'none'] }), of({ tags: ['daily'] })]
    const { evidence } = await ask(validate, twice, { explain: true })
    expect(evidence.map(({ rule }: { rule: string }) => rule)).toEqual([
      'granted',
      'property_not_reached',
      'declared_alike',
      'property_not_listed',
    ])
  })

  test.each<[string, unknown]>([
    ['no body', undefined],
    ['no agent', { publisher_properties: [] }],
    ['no selectors', { agent_url: agent }],
    ['selectors that are no list', { agent_url: agent, publisher_properties: {} }],
    ['a selector that is no object', { agent_url: agent, publisher_properties: ['all'] }],
    ['a selector that is null', { agent_url: agent, publisher_properties: [null] }],
    ['an unknown selection', { agent_url: agent, publisher_properties: [{ selection_type: 'x' }] }],
    ['ids that are no list', { agent_url: agent, publisher_properties: [{ property_ids: 'a' }] }],
    ['a bad address', { agent_url: 'agent', publisher_properties: [] }],
    ['a bad country', { agent_url: agent, publisher_properties: [], country: 'UK' }],
    [
      'an unknown restriction',
      { agent_url: agent, publisher_properties: [], delegation: 'direct' },
    ],
    ...['ids', 'country', 'placement'].map((name): [string, unknown] => [
      `a selector with ${name}`,
      { agent_url: agent, publisher_properties: [{ publisher_domain: 'a.example', [name]: 'x' }] },
    ]),
    ['a time in the body', { agent_url: agent, publisher_properties: [], as_of: '2020-01-01' }],
    ['a bad time', { agent_url: agent, publisher_properties: [], at: 5 }],
    ['no placement', { agent_url: agent, publisher_properties: [], placement_ids: [] }],
    [
      'too many selectors',
      { agent_url: agent, publisher_properties: Array.from({ length: 501 }, () => ({})) },
    ],
    [
      'a selection by ID without one',
      { agent_url: agent, publisher_properties: [of({ selection_type: 'by_id' })] },
    ],
    [
      'a selection by tag with none',
      { agent_url: agent, publisher_properties: [of({ selection_type: 'by_tag', tags: [] })] },
    ],
  ])('400: %s', async (_name, payload) => {
    for (const url of [validate, expand]) {
      const answer = await post(url, payload)
      expect([answer.statusCode, typeof answer.json().error]).toEqual([400, 'string'])
    }
  })
})

describe('POST /api/registry/expand/product-identifiers', () => {
  test('200: the agent’s authorized identifiers of each selector, sorted by type and name', async () => {
    const body = await ask(expand, [of(), { publisher_domain: 'wide.example' }], { country: 'GB' })
    expect(body.properties).toMatchObject([
      { property_id: 'app', property_type: 'mobile_app', publisher_domain: shopDomain },
      { property_id: 'news', property_name: 'news', tags: ['daily', 'text'] },
      { property_id: 'site', publisher_domain: 'wide.example' },
    ])
    expect(body.identifiers).toEqual([
      { type: 'ios_bundle', value: 'x.app', property_id: 'app', publisher_domain: shopDomain },
      {
        type: 'domain',
        value: 'news.shop.example',
        property_id: 'news',
        publisher_domain: shopDomain,
      },
      {
        type: 'domain',
        value: 'wide.example',
        property_id: 'site',
        publisher_domain: 'wide.example',
      },
    ])
    expect(body).toMatchObject({ agent_url: agent, property_count: 3, identifier_count: 3 })
  })

  test('200: pages follow each other', async () => {
    const all = [of(), { publisher_domain: 'wide.example' }]
    const first = await ask(expand, all, { limit: 1 })
    expect(first).toMatchObject({
      property_count: 1,
      properties_total: 2,
      properties_truncated: true,
      has_more: true,
      next_cursor: '1',
    })
    const next = await ask(expand, all, { limit: 1, cursor: first.next_cursor })
    expect(next.properties).toMatchObject([{ publisher_domain: 'wide.example' }])
    expect(next).toMatchObject({ has_more: false, next_cursor: null })
  })

  test('200: an agent without authorization has none', async () => {
    const body = await ask(expand, [of()], { agent_url: 'https://mcp.seller.example/other' })
    expect(body).toMatchObject({ properties: [], identifiers: [], property_count: 0 })
  })
})
