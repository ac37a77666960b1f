import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentParams } from '../../api/checks/own-agent.ts'
import type { Operation } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildSuite } from '../support/fixtures/suites.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { makeRegistryKey } from '../support/servers/webhook-receivers.ts'

const HOST = 'https://signals.acme.example'
/** An agent that a publisher and its member name, and one that only its member names. */
const agents = [`${HOST}/mcp`, 'https://alone.acme.example/mcp']
const HIDDEN = 'https://hidden.acme.example/mcp'
const encoded = encodeURIComponent
const signing = makeRegistryKey()

let registry: TestRegistry
let key: string
let stranger: string

beforeAll(async () => {
  registry = await openRegistry({ settings: { REGISTRY_SIGNING_KEYS: signing.path } })
  key = await enrol(registry, {
    org: 'Acme',
    tier: 'company_standard',
    domains: ['acme.example'],
    agents: [
      ...agents.map(url => ({ url, type: 'signals', visibility: 'public' }) as const),
      { url: HIDDEN, type: 'signals', visibility: 'private' },
    ],
  })
  stranger = await enrol(registry, {
    org: 'Other',
    tier: 'company_standard',
    domains: ['other.example'],
  })
  const { org_id } = (await registry.sequencer.accounts.db.one<{ org_id: string }>(
    `select org_id from organizations where name = 'Acme'`,
  ))!
  for (const agent_url of [...agents, HIDDEN])
    await registry.submit(buildSuite({ agent_url, org_id, at: registry.clock.now() }))
  await registry.observe(
    observePublisherFile('acme.example', { sites: ['acme.example'], agents: [`${HOST}/mcp`] }),
  )
  await registry.publish()
})
afterAll(async () => {
  await registry.close()
  signing.remove()
})

const at = (path: string) => (agent: string) => `/api/registry/agents/${encoded(agent)}${path}`

/** Every operation that everybody, or every member, may ask about an agent of somebody else. */
const questions: Record<string, (agent: string) => string> = {
  lookUpAgent: at(''),
  getAgentCompliance: at('/compliance'),
  getAgentComplianceHistory: at('/compliance/history'),
  getAgentStoryboardStatus: at('/storyboard-status'),
  getAgentVerification: at('/verification'),
  getAgentBadge: at('/badge/signals.svg'),
  getAgentBadgeOfVersion: at('/badge/signals/3.1.svg'),
  getAgentBadgeEmbed: at('/badge/signals/embed'),
  getAgentBadgeEmbedOfVersion: at('/badge/signals/3.1/embed'),
  getAgentBadgeToken: at('/badge/signals/token'),
  lookUpAgentDomains: agent => `/api/registry/lookup/agent/${encoded(agent)}/domains`,
  listAgentPublishers: agent => `/v1/agents/${encoded(agent)}/publishers`,
  listAgentPublishersAlias: agent => `/api/v1/agents/${encoded(agent)}/publishers`,
  listAuthorizations: agent => `/api/registry/authorizations?agent_url=${encoded(agent)}`,
  snapshotAuthorizations: agent =>
    `/api/registry/authorizations/snapshot?agent_url=${encoded(agent)}`,
  validatePropertyAuthorization: agent =>
    `/api/registry/validate/property-authorization?agent_url=${encoded(agent)}&identifier_type=domain&identifier_value=acme.example`,
  authorizePublisher: agent =>
    `/api/registry/publisher/authorization?agent=${encoded(agent)}&domain=acme.example`,
  readFeed: agent => `/api/registry/feed?agent=${encoded(agent)}`,
}

async function ask(url: string, secret = key) {
  const headers = { authorization: `Bearer ${secret}` }
  const { statusCode, body } = await registry.app.inject({ url, headers })
  return { statusCode, body: body.replace(/"token":"[^"]+"/, '') }
}

const names = ['encodedUrl', 'agentUrl', 'agent', 'agent_url']

/** Lists the parameters of an operation that take the URL of an agent, but for those by which owners name their own. */
function listParameters({ params, query }: Operation): string[] {
  return [params, query]
    .flatMap(schema => (schema instanceof z.ZodObject ? Object.entries(schema.shape) : []))
    .filter(([name, field]) => names.includes(name) && field !== AgentParams.encodedUrl)
    .map(([name]) => name)
}

test('every operation with the URL of an agent in its path or query resolves it', () => {
  // The stream resolves its agent with the function of the feed, and does not end.
  const named = operations.filter(
    operation => listParameters(operation).length > 0 && operation.id !== 'streamFeed',
  )
  expect(named.map(({ id }) => id).sort()).toEqual(Object.keys(questions).sort())
})

describe.each(Object.entries(questions))('%s', (_, build) => {
  test.each(agents)('answers for %s in another case like for the exact URL', async agent => {
    const exact = await ask(build(agent))
    const other = await ask(build(agent.replace('/mcp', '/MCP')))
    expect({ ...other, body: other.body.replaceAll('/MCP', '/mcp') }).toEqual(exact)
  })

  test('tells a stranger nothing of a hidden agent in another case', async () => {
    const unknown = 'https://nobody.acme.example/MCP'
    const shown = await ask(build(HIDDEN.replace('/mcp', '/MCP')), stranger)
    const nobody = await ask(build(unknown), stranger)
    expect(shown.body.replaceAll('hidden.', 'nobody.')).toBe(nobody.body)
  })
})

test.each(['/compliance', '/compliance/history', '/storyboard-status', '/verification'])(
  '…%s names the agents of a host, and none for an agent',
  async path => {
    const named = JSON.parse((await ask(at(path)(HOST))).body)
    expect(named.did_you_mean).toEqual([`${HOST}/mcp`])
    expect(JSON.parse((await ask(at(path)(`${HOST}/MCP`))).body)).not.toHaveProperty('did_you_mean')
  },
)

test('results and badges are found in another case', async () => {
  const compliance = JSON.parse((await ask(at('/compliance')(`${HOST}/MCP`))).body)
  expect(compliance).toMatchObject({ agent_url: `${HOST}/mcp`, status: 'passing', verified: true })
  expect((await ask(at('/badge/signals/token')(`${HOST}/MCP`))).statusCode).toBe(200)
  const token = JSON.parse((await ask(at('/badge/signals/token')(HOST))).body)
  expect(token).toMatchObject({ code: 'not_found', did_you_mean: [`${HOST}/mcp`] })
})
