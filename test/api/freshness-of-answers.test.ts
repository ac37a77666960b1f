import { beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import type { Source } from '../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import {
  buildOperatorFile,
  publishFiles,
  requestWithQuery,
} from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://sell.agents.example/mcp'
const target = 'https://files.example/adagents.json'
const HOUR = 3_600_000
const granting = (domain: string) =>
  buildShop(domain, {
    properties: [buildWebsite(domain)],
    authorized_agents: [grantByIds(agent, { delegation_type: 'direct' })],
  })
const registry = openForAll(openRegistry)

const happens = (...tries: [Outcome, Source['kind'], string][]) =>
  registry.observe(
    ...tries.map(([outcome, kind, location]) =>
      observeOutcome(outcome, kind, location, registry.clock.now()),
    ),
  )

beforeAll(async () => {
  const now = registry.clock.now()
  await publishFiles(registry, {
    'plain.example': granting('plain.example'),
    'said.example': granting('said.example'),
    'pointing.example': { authoritative_location: target },
    [target]: granting('pointing.example'),
    'manager.example': {
      properties: [buildWebsite('managed.example')],
      authorized_agents: [
        {
          url: agent,
          authorized_for: 'All',
          authorization_type: 'publisher_properties',
          publisher_properties: [{ publisher_domain: 'managed.example', selection_type: 'all' }],
        },
      ],
    },
    'brand agents.example': buildOperatorFile(
      [agent],
      [{ identifier: 'said.example', relationship: 'direct' }],
    ),
    'brand brand.example': { house: 'house.example' },
    'brand house.example': {
      house: { domain: 'house.example', name: 'House' },
      brands: [
        {
          id: 'brand',
          names: [{ en: 'Brand' }],
          keller_type: 'master',
          properties: [{ type: 'website', identifier: 'brand.example' }],
        },
      ],
    },
  })
  await registry.observe(
    observeOutcome('absent', 'adagents.json', 'managed.example', now),
    observeFile('ads.txt', 'managed.example', 'managerdomain=manager.example', now),
    observeOutcome('absent', 'agent', agent, now),
  )
  registry.clock.tick(HOUR)
})

const get = async (url: string) => (await registry.app.inject(url)).json()
const sale = (domain: string, more: object = {}) =>
  requestWithQuery(registry, '/api/registry/validate/property-authorization', {
    agent_url: agent,
    identifier_type: 'domain',
    identifier_value: domain,
    ...more,
  })
const product = async (...domains: string[]) =>
  (
    await registry.send('POST', '/api/registry/validate/product-authorization', {
      payload: {
        agent_url: agent,
        publisher_properties: domains.map(publisher_domain => ({
          publisher_domain,
          selection_type: 'all',
        })),
      },
    })
  ).json()

/** Lists the state and status of every answer about a publisher. */
async function listStates(domain: string): Promise<Set<string>> {
  const bulk = await registry.send('POST', '/api/properties/resolve/bulk', {
    payload: { domains: [domain] },
  })
  const answers = [
    await get(`/api/registry/publisher?domain=${domain}`),
    await get(`/api/registry/publisher?domain=${domain}&limit=1`),
    await get(`/api/properties/resolve?domain=${domain}`),
    await get(`/api/registry/lookup/domain/${domain}`),
    await get(`/api/registry/publisher/authorization?domain=${domain}&agent=${agent}`),
    await get(`/api/registry/publisher/authorization?domain=${domain}&agent=${agent}&explain=true`),
    (await sale(domain)).json(),
    (await sale(domain, { explain: 'true' })).json(),
    await product(domain),
    // Null where nothing is known.
    ...[bulk.json().results[domain] ?? []].flat(),
  ]
  return new Set(
    answers.map(({ freshness: { state, http_status } }) => `${state} ${http_status ?? '-'}`),
  )
}

describe('the freshness of an answer is that of the file that decided it', () => {
  test('which is not the probe of an agent', async () => {
    expect(await listStates('plain.example')).toEqual(new Set(['current 200']))
    expect((await sale('plain.example')).json()).toMatchObject({ authorized: true })
  })

  test('the ads.txt and the manager’s file, where the own one is missing', async () => {
    expect(await listStates('managed.example')).toEqual(new Set(['current 200']))
    await happens(['server_error', 'adagents.json', 'manager.example'])
    expect(await listStates('managed.example')).toEqual(new Set(['failing 500']))
    const { evidence } = (await sale('managed.example', { explain: 'true' })).json()
    expect(evidence[0]).toMatchObject({
      file: 'https://manager.example/.well-known/adagents.json',
      file_state: 'failing',
      files: [
        { file: 'https://managed.example/ads.txt', file_state: 'current' },
        {
          file: 'https://manager.example/.well-known/adagents.json',
          file_state: 'failing',
          fetched_at: expect.any(String),
        },
      ],
    })
  })

  test('both, where one points to the other, and the weaker one counts', async () => {
    expect(await listStates('pointing.example')).toEqual(new Set(['current 200']))
    await happens(['timeout', 'adagents.json', target])
    expect(await listStates('pointing.example')).toEqual(new Set(['failing -']))
    const { authorized, evidence } = (await sale('pointing.example', { explain: 'true' })).json()
    expect(authorized).toBe(true)
    expect(evidence[0]).toMatchObject({ file: target, file_state: 'failing' })
    await registry.observe(
      observeFile('adagents.json', target, granting('pointing.example'), registry.clock.now()),
    )
    await happens(['server_error', 'adagents.json', 'pointing.example'])
    expect(await listStates('pointing.example')).toEqual(new Set(['failing 500']))
  })

  test('that of the target of a pointer, also if it was never read', async () => {
    const [lost, brand] = ['https://lost.example/adagents.json', 'https://lost.example/brand.json']
    await publishFiles(registry, {
      'led.example': { authoritative_location: lost },
      'brand led.example': { authoritative_location: brand },
    })
    const states = async () => [
      (await get('/api/registry/publisher?domain=led.example')).freshness.state,
      (await get('/api/registry/publisher?domain=led.example&limit=1')).freshness.state,
      (await get('/api/properties/resolve?domain=led.example')).freshness.state,
      (await get('/api/properties/history?domain=led.example')).freshness.state,
      (await get('/api/registry/lookup/domain/led.example')).freshness.state,
      (await get(`/api/registry/publisher/authorization?domain=led.example&agent=${agent}`))
        .freshness.state,
      (await sale('led.example')).json().freshness.state,
      (await product('led.example')).freshness.state,
      (await get('/api/brands/resolve?domain=led.example')).freshness.state,
      (await get('/api/registry/operator?domain=led.example')).freshness.state,
    ]
    expect(new Set(await states())).toEqual(new Set(['never_crawled']))
    await happens(['timeout', 'adagents.json', lost], ['timeout', 'brand.json', brand])
    expect(new Set(await states())).toEqual(new Set(['failing']))
    registry.clock.tick(HOUR)
    await happens(['absent', 'adagents.json', lost], ['absent', 'brand.json', brand])
    expect(new Set(await states())).toEqual(new Set(['absent']))
    const { files } = await get('/api/registry/publisher?domain=led.example')
    expect(files.adagents_json.status).toBe('absent')

    await publishFiles(registry, {
      'led.example': { authorized_agents: [] },
      'brand led.example': buildOperatorFile([], []),
    })
    expect(new Set(await states())).not.toContain('absent')
  })

  test('that of a target that points on: it is not followed, so it is unusable', async () => {
    const [second, third] = ['https://hops.example/second.json', 'https://hops.example/third.json']
    await publishFiles(registry, {
      'hops.example': { authoritative_location: second },
      [second]: { authoritative_location: third },
      [third]: granting('hops.example'),
      'there.example': { authoritative_location: 'https://back.example/.well-known/adagents.json' },
      'back.example': { authoritative_location: 'https://there.example/.well-known/adagents.json' },
    })
    for (const domain of ['hops.example', 'there.example', 'back.example']) {
      expect([domain, (await sale(domain)).json().authorized]).toEqual([domain, false])
      expect([domain, await listStates(domain)]).toEqual([domain, new Set(['invalid 200'])])
      const { files, adagents_valid } = await get(`/api/registry/publisher?domain=${domain}`)
      expect([files.adagents_json.status, adagents_valid]).toEqual(['invalid', false])
    }
    await publishFiles(registry, { [second]: granting('hops.example') })
    expect(await listStates('hops.example')).toEqual(new Set(['current 200']))
    expect((await sale('hops.example')).json().authorized).toBe(true)
    registry.clock.tick(HOUR)
    await publishFiles(registry, { [second]: { authoritative_location: third } })
    registry.clock.tick(HOUR)
    expect(await listStates('hops.example')).toEqual(new Set(['invalid 200']))
  })

  test('each file on the way, where a brand.json points to one that redirects', async () => {
    const middle = 'https://way.example/brand.json'
    await publishFiles(registry, {
      'brand first.example': { authoritative_location: middle },
      [`brand ${middle}`]: { authoritative_location: 'https://last.example/brand.json' },
      'brand https://last.example/brand.json': buildOperatorFile([], []),
    })
    const state = async () =>
      (await get('/api/brands/resolve?domain=first.example')).freshness.state
    expect(await state()).toBe('current')
    await happens(['server_error', 'brand.json', middle])
    expect(await state()).toBe('failing')
  })

  test('that of the file a domain points to now, while its earlier one still answers for it', async () => {
    const lost = 'https://lost.example/moved.json'
    await publishFiles(registry, { 'moved.example': granting('moved.example') })
    registry.clock.tick(HOUR)
    await publishFiles(registry, { 'moved.example': { authoritative_location: lost } })
    registry.clock.tick(HOUR)
    await happens(['server_error', 'adagents.json', lost])
    const { authorized, evidence } = (await sale('moved.example', { explain: 'true' })).json()
    expect(authorized).toBe(true)
    expect(evidence[0]).toMatchObject({
      file: 'https://moved.example/.well-known/adagents.json',
      files: [
        { file: 'https://moved.example/.well-known/adagents.json', file_state: 'current' },
        { file: lost, file_state: 'failing' },
      ],
    })
    expect(await listStates('moved.example')).toEqual(new Set(['failing 500']))
  })

  test('those of the publishers, where an agent’s authorizations are listed', async () => {
    const own = 'https://listed.agents.example/mcp'
    const file = (domain: string) =>
      buildShop(domain, {
        properties: [buildWebsite(domain)],
        authorized_agents: [grantByIds(own)],
      })
    await publishFiles(registry, { 'a.example': file('a.example'), 'b.example': file('b.example') })
    await happens(['absent', 'agent', own])
    const path = encodeURIComponent(own)
    const states = async (query = '') => [
      (await get(`/api/registry/lookup/agent/${path}/domains${query}`)).freshness.state,
      (await get(`/v1/agents/${path}/publishers${query}`)).freshness.state,
    ]
    expect(await states()).toEqual(['current', 'current'])
    await happens(['server_error', 'adagents.json', 'b.example'])
    expect(await states()).toEqual(['failing', 'failing'])
    expect(await states('?limit=1')).toEqual(['current', 'current'])
    const unknown = encodeURIComponent('https://nobody.example/mcp')
    const { freshness } = await get(`/api/registry/lookup/agent/${unknown}/domains`)
    expect(freshness).toEqual({ state: 'never_crawled' })
  })

  test('the operator’s too, where it says anything about the grant', async () => {
    const states = async () => [
      (await sale('plain.example')).json().freshness.state,
      (await sale('said.example')).json().freshness.state,
      (await product('plain.example')).freshness.state,
      (await product('said.example', 'plain.example')).freshness.state,
    ]
    expect(await states()).toEqual(['current', 'current', 'current', 'current'])
    await happens(['server_error', 'brand.json', 'agents.example'])
    expect(await states()).toEqual(['current', 'failing', 'current', 'failing'])
  })

  test('the weakest of those of several publishers', async () => {
    const { freshness } = await product('plain.example', 'nobody.example')
    expect(freshness).toEqual({ state: 'never_crawled' })
  })

  test('that of the host an identifier names, where nobody lists it', async () => {
    await happens(['absent', 'adagents.json', 'empty.example'])
    expect((await sale('www.empty.example')).json().freshness).toMatchObject({ state: 'absent' })
    expect((await sale('nobody.example')).json().freshness).toEqual({ state: 'never_crawled' })
    const app = await sale('com.app', { identifier_type: 'ios_bundle' })
    expect(app.json().freshness).toEqual({ state: 'never_crawled' })
  })

  test('that of the house, where it decides which brand a domain is', async () => {
    const state = async () =>
      (await get('/api/brands/resolve?domain=brand.example')).freshness.state
    expect(await state()).toBe('current')
    await happens(['dns_failed', 'brand.json', 'house.example'])
    expect(await state()).toBe('failing')
  })

  test('which also states when a brand and its house last named each other', async () => {
    const [leaf, house] = ['leaf.example', 'mutual.example']
    const start = registry.clock.now()
    await publishFiles(registry, {
      [`brand ${leaf}`]: { id: 'leaf', names: [{ en: 'Leaf' }], house_domain: house },
      [`brand ${house}`]: {
        house: { domain: house, name: 'Mutual' },
        brand_refs: [{ domain: leaf, brand_id: 'leaf' }],
      },
    })
    registry.clock.tick(HOUR)
    await publishFiles(registry, {
      [`brand ${leaf}`]: { id: 'leaf', names: [{ en: 'Leaf' }], house_domain: house },
    })
    await happens(['server_error', 'brand.json', house])
    const bulk = await registry.send('POST', '/api/brands/resolve/bulk', {
      payload: { domains: [leaf] },
    })
    for (const answer of [
      await get(`/api/brands/resolve?domain=${leaf}`),
      bulk.json().results[leaf],
    ]) {
      expect(answer).toMatchObject({
        relationship_trust: 'mutual',
        house_domain: house,
        relationship_verified_at: new Date(start).toISOString(),
        freshness: { state: 'failing' },
      })
    }
    await registry.publish()
    const [listed] = (await get(`/api/brands/registry?search=${leaf}`)).brands
    const [found] = (await get(`/api/brands/find?q=${leaf}`)).results
    for (const item of [listed, found]) {
      expect(item).toMatchObject({
        domain: leaf,
        relationship_verified_at: new Date(start).toISOString(),
      })
    }
    const [other] = (await get('/api/brands/registry?search=brand.example')).brands
    expect(other).not.toHaveProperty('relationship_verified_at')
    const alone = await get('/api/brands/resolve?domain=brand.example')
    expect(alone).not.toHaveProperty('relationship_verified_at')
  })

  test('all stores agree', async () => {
    expect(await registry.verify()).toEqual([])
  })
})
