import { beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, observeAgent } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const [seller, down, fresh, secret, kept] = [
  'https://sales.acme.example/mcp',
  'https://down.acme.example/mcp',
  'https://fresh.acme.example/mcp',
  'https://secret.acme.example/mcp',
  'https://kept.acme.example/mcp',
] as const
const nobody = 'https://nobody.example/mcp'

const registry = openForAll(openRegistry)
let key: string

beforeAll(async () => {
  key = await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['acme.example'],
    agents: [
      { url: seller },
      { url: down },
      { url: fresh },
      { url: secret, visibility: 'private' },
      { url: kept, visibility: 'members_only' },
    ],
  })
  await registry.observe(
    observePublisherFile('news.example', { sites: ['news.example'], agents: [seller, kept] }),
    observeAgent(seller, { tools: [{ name: 'get_products', description: '', input_schema: {} }] }),
    { kind: 'agent', location: down, outcome: 'timeout', took_ms: 5 } as never,
  )
  await registry.observe(
    observeAgent(secret, { server_name: 'Secret name' }),
    observeAgent(kept, { server_name: 'Public name' }),
  )
  await registry.publish()
})

const get = (path: string) =>
  registry.app.inject({ url: path, headers: { authorization: `Bearer ${key}` } })
const lookUp = (agent: string) => get(`/api/registry/agents/${encodeURIComponent(agent)}`)

describe('the lookup of an agent', () => {
  test('says that it answers, and what it can sell', async () => {
    const answer = await lookUp(seller)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json()).toMatchObject({
      agent_url: seller,
      name: 'Agent',
      type: 'sales',
      operator: 'acme.example',
      publisher_count: 1,
      property_count: 1,
      health: { online: true, status: 'online', response_time_ms: 40, tools_count: 1 },
      freshness: { state: 'current' },
    })
  })

  test('finds the agent in any spelling of its address', async () => {
    expect((await lookUp('HTTPS://Sales.Acme.example:443/MCP/')).json().agent_url).toBe(seller)
  })

  test('says that it does not answer, and why', async () => {
    const { health, freshness } = (await lookUp(down)).json()
    expect(health).toMatchObject({ online: false, status: 'offline', error: 'timeout' })
    expect(freshness).toMatchObject({ state: 'failing', outcome: 'timeout' })
  })

  test('has no health before the first check', async () => {
    const answer = (await lookUp(fresh)).json()
    expect(answer).not.toHaveProperty('health')
    expect(answer.freshness).toEqual({ state: 'never_crawled' })
  })

  test.each([seller, down])('has the health that the list has: %s', async url => {
    const { agents } = (await get('/api/registry/agents?health=true')).json()
    const listed = agents.find((agent: { url: string }) => agent.url === url)
    expect((await lookUp(url)).json().health).toEqual(listed.health)
  })

  test('answers for an agent that a member keeps private as for an unknown one', async () => {
    const [hidden, unknown] = [await lookUp(secret), await lookUp(nobody)]
    expect([hidden.statusCode, unknown.statusCode]).toEqual([404, 404])
    expect(hidden.body.replaceAll(secret, nobody)).toBe(unknown.body)
  })

  test('tells everything of an agent that publishers name, also if its member does not list it publicly', async () => {
    expect((await lookUp(kept)).json()).toMatchObject({
      name: 'Public name',
      publisher_count: 1,
      health: { online: true },
      freshness: { state: 'current' },
    })
  })

  test('is another operation than the search, whose path looks like an address', async () => {
    expect((await get('/api/registry/agents/search')).json()).toHaveProperty('results')
  })
})
