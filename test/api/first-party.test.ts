import { beforeAll, describe, expect, test } from 'vitest'
import { compareGrantedRows } from '../support/checks/granted-rows.ts'
import { publishFiles, requestWithQuery } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://sell.house.example/mcp'
const owns = (...domains: string[]) =>
  domains.map(identifier => ({ type: 'website', identifier, relationship: 'owned' }))
const brand = (id: string, domains: string[]) => ({
  id,
  names: [{ en: id }],
  properties: owns(...domains),
})
const granting = (domain: string, more: object = { delegation_type: 'direct' }) =>
  buildShop(domain, {
    properties: [buildWebsite(domain)],
    authorized_agents: [grantByIds(agent, more)],
  })

const registry = openForAll(openRegistry)

beforeAll(async () => {
  await publishFiles(registry, {
    'brand house.example': {
      house: {
        domain: 'house.example',
        name: 'House',
        agents: [{ type: 'sales', id: 'sell', url: agent }],
      },
      brands: [
        { ...brand('main', ['house.example']), keller_type: 'master' },
        brand('site', ['site.example', 'other.example', 'silent.example', 'leaf.example']),
      ],
      brand_refs: [{ domain: 'leaf.example', brand_id: 'leaf' }],
    },
    'brand site.example': { house: 'house.example' },
    'brand other.example': { house: 'rival.example' },
    'brand rival.example': {
      house: { domain: 'rival.example', name: 'Rival' },
      brands: [brand('rival', ['other.example', 'rival.example'])],
    },
    'brand leaf.example': { ...brand('leaf', ['leaf.example']), house_domain: 'house.example' },
    'site.example': granting('site.example'),
    'other.example': granting('other.example'),
    'silent.example': granting('silent.example'),
    'leaf.example': granting('leaf.example'),
  })
  await publishFiles(registry, {
    // The same house, whose file lies at an address that its own domain leads to.
    'brand away.example': { authoritative_location: 'https://files.example/away.json' },
    'brand https://files.example/away.json': {
      house: {
        domain: 'away.example',
        name: 'Away',
        agents: [{ type: 'sales', id: 'sell', url: 'https://sell.away.example/mcp' }],
      },
      brands: [brand('news', ['away.example', 'news.example'])],
    },
    'brand news.example': { house: 'away.example' },
    'news.example': buildShop('news.example', {
      properties: [buildWebsite('news.example')],
      authorized_agents: [
        grantByIds('https://sell.away.example/mcp', { delegation_type: 'direct' }),
      ],
    }),
  })
})

const summarize = async (domain: string, agent_url = agent) => {
  const answer = await requestWithQuery(registry, '/api/registry/validate/property-authorization', {
    agent_url,
    identifier_type: 'domain',
    identifier_value: domain,
    explain: 'true',
  })
  const { authorized, confirmed, evidence } = answer.json()
  const rule = evidence.at(-1).rule
  return [authorized, confirmed, rule].join(' ')
}

describe('the agent of a house on the sites of the house', () => {
  test.each([
    ['site.example', 'true true owns_it', 'leads to the house'],
    ['leaf.example', 'true true owns_it', 'names the house, which names it back'],
    ['other.example', 'false false claims_to_own', 'is of another house'],
    ['silent.example', 'false false claims_to_own', 'says nothing of any house'],
  ])('%s: %s, since its brand.json %s', async (domain, expected) => {
    expect(await summarize(domain)).toBe(expected)
  })

  test('also where the file of the house is at another address', async () => {
    expect(await summarize('news.example', 'https://sell.away.example/mcp')).toBe(
      'true true owns_it',
    )
  })

  test('a product and the count of its properties agree', async () => {
    const product = await registry.send('POST', '/api/registry/validate/product-authorization', {
      payload: {
        agent_url: agent,
        publisher_properties: [{ publisher_domain: 'site.example', selection_type: 'all' }],
      },
    })
    expect(product.json()).toMatchObject({ authorized: true, confirmed: true })
    const counted = await requestWithQuery(registry, '/api/registry/publisher/authorization', {
      domain: 'site.example',
      agent,
    })
    expect(counted.json()).toMatchObject({ authorized: 1, total: 1, confirmed: true })
  })

  test('a site that moves to another house leaves this one until it is back', async () => {
    await publishFiles(registry, { 'brand site.example': { house: 'rival.example' } })
    expect(await summarize('site.example')).toBe('false false claims_to_own')
    expect(await compareGrantedRows(registry)).toEqual({ count: 5, differing: [] })
    await publishFiles(registry, { 'brand site.example': { house: 'house.example' } })
    expect(await summarize('site.example')).toBe('true true owns_it')
    expect(await compareGrantedRows(registry)).toEqual({ count: 5, differing: [] })
  })
})
