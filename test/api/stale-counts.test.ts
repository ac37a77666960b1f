import { beforeAll, describe, expect, test } from 'vitest'
import { HOUR } from '../../pipeline/core/clock.ts'
import { observeOutcome } from '../support/fixtures/observations.ts'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://sell.agents.example/mcp'
const domain = 'shop.example'
const registry = openForAll(openRegistry)

const get = async (url: string) => (await registry.app.inject(url)).json()

/** Counts that an answer gives of what the agent reaches at the publisher, and of what there is. */
type Counts = [authorized: number, total: number]

const counted: [string, () => Promise<Counts>][] = [
  ['the publisher lookup', () => readLookup('')],
  ['a page of it', () => readLookup('&limit=1')],
  [
    'the authorization of an agent at a publisher',
    async () => {
      const url = `/api/registry/publisher/authorization?domain=${domain}&agent=${agent}`
      const { authorized, total } = await get(url)
      return [authorized, total]
    },
  ],
  [
    'the list of an agent’s publishers',
    async () => {
      const { publishers } = await get(`/api/v1/agents/${encodeURIComponent(agent)}/publishers`)
      return [publishers[0].properties_authorized, publishers[0].properties_total]
    },
  ],
  [
    'the authorization of products',
    async () => {
      const { total_authorized, total_requested } = (
        await registry.send('POST', '/api/registry/validate/product-authorization', {
          payload: {
            agent_url: agent,
            publisher_properties: [{ publisher_domain: domain, selection_type: 'all' }],
          },
        })
      ).json()
      return [total_authorized, total_requested]
    },
  ],
]

async function readLookup(more: string): Promise<Counts> {
  const lookup = await get(`/api/registry/publisher?domain=${domain}${more}`)
  const [{ properties_authorized, properties_total, publisher_wide }] = lookup.authorized_agents
  expect(publisher_wide).toBe(properties_total > 0 && properties_authorized === properties_total)
  return [properties_authorized, properties_total]
}

const happens = (outcome: 'unusable' | 'absent' | 'not_json' | 'unchanged') => {
  registry.clock.tick(2 * HOUR)
  return registry.observe(observeOutcome(outcome, 'adagents.json', domain, registry.clock.now()))
}

beforeAll(async () => {
  await publishFiles(registry, {
    [domain]: buildShop(domain, {
      properties: [buildWebsite(domain)],
      authorized_agents: [grantByIds(agent)],
    }),
  })
})

/** Reads all counts, each once. */
async function listCounts(): Promise<Set<string>> {
  const counts = await Promise.all(counted.map(([, read]) => read()))
  return new Set(counts.map(([authorized, total]) => `${authorized} of ${total}`))
}

describe('all answers count the properties that an agent reaches alike', () => {
  test('where the file is valid, and where its properties are stale: they are not authorized', async () => {
    expect(await listCounts()).toEqual(new Set(['1 of 1']))
    await happens('unusable')
    expect(await listCounts()).toEqual(new Set(['0 of 0']))
    await happens('unchanged')
    expect(await listCounts()).toEqual(new Set(['1 of 1']))
    await happens('not_json')
    expect(await listCounts()).toEqual(new Set(['1 of 1']))
    await happens('not_json')
    expect(await listCounts()).toEqual(new Set(['0 of 0']))
    await happens('unchanged')
    await happens('absent')
    expect(await listCounts()).toEqual(new Set(['0 of 0']))
  })
})
