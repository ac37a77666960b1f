import { beforeAll, expect, test } from 'vitest'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { observeProbedAgent } from '../support/fixtures/probed-agents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const SELLER = 'https://sales.pinnacle-agency.example/mcp'
const SECRET = 'https://quiet.example/mcp'
const UNNAMED = 'https://unnamed.example/mcp'
const ENROLLED = 'https://fresh.example/mcp'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  await registry.observe(
    observeBrandFile('pinnacles.example', 'Pinnacles'),
    observePublisherFile('news.example', { sites: ['news.example'], agents: [SELLER, SECRET] }),
    observePublisherFile('post.example', { sites: ['post.example'], agents: [SELLER] }),
  )
  const hidden = [SECRET, UNNAMED].map(url => ({ url, visibility: 'private' as const }))
  await enrol(registry, { org: 'Silent Partners', tier: 'company_standard', agents: hidden })
  const shown = [{ url: ENROLLED, name: 'Fresh Buyer' }]
  await enrol(registry, { org: 'Open House', tier: 'company_standard', agents: shown })
  await registry.observe(
    observeProbedAgent(SELLER, { tools: ['get_products'], name: 'Reference sáles agent' }),
    observeProbedAgent(SECRET, { tools: ['get_products'], name: 'Whispering Gallery' }),
    observeProbedAgent(UNNAMED, { tools: ['get_products'], name: 'Whispering Meadow' }),
  )
  await registry.publish()
})

async function search(text: string) {
  const answer = await registry.app.inject(`/api/search?q=${encodeURIComponent(text)}`)
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

async function findUrls(text: string): Promise<string[]> {
  return (await search(text)).agents.map(({ agent_url }: { agent_url: string }) => agent_url)
}

test.each([
  'reference sales AGENT',
  'pinnacle',
  'agency',
  'sales.pinnacle-agency.example',
  'pinnacle-agency.example/mcp',
  SELLER,
  'refrence sales agent',
])('an agent is found by its name and by words of its address: %s', async text => {
  expect((await search(text)).agents).toEqual([
    { agent_url: SELLER, name: 'Reference sáles agent', type: 'sales', publisher_count: 2 },
  ])
})

test('an agent that more publishers authorize comes first', async () => {
  expect(await findUrls('.example/mcp')).toEqual([SELLER, SECRET, ENROLLED])
})

test('an agent that a member keeps private is found as any other if a publisher names it, and else not', async () => {
  expect(await findUrls('whispering')).toEqual([SECRET])
  expect(await findUrls('unnamed')).toEqual([])
  expect((await search('quiet')).agents).toEqual([
    { agent_url: SECRET, name: 'Whispering Gallery', type: 'sales', publisher_count: 1 },
  ])
})

test.each(['fresh buyer', 'fresh.example', 'open house'])(
  'an agent that a member shows is found before it was reached: %s',
  async text => {
    expect((await search(text)).agents).toEqual([
      { agent_url: ENROLLED, name: 'Fresh Buyer', type: 'sales', publisher_count: 0 },
    ])
  },
)

test('an agent with the exact name does not keep misspelled brands from being found', async () => {
  const url = 'https://spelled.example/mcp'
  await registry.observe(observePublisherFile('late.example', { sites: [], agents: [url] }))
  await registry.observe(observeProbedAgent(url, { tools: ['get_products'], name: 'Pinacles' }))
  await registry.publish()
  const { agents, brands } = await search('pinacles')
  expect(agents[0]).toMatchObject({ name: 'Pinacles' })
  expect(brands).toMatchObject([{ domain: 'pinnacles.example' }])
})
