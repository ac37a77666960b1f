import { beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const HOST = 'https://sales.acme.example'
const agents = [`${HOST}/a2a`, `${HOST}/mcp`]
const encoded = encodeURIComponent

const registry = openForAll(openRegistry)
let key: string

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  const root = 'https://root.example'
  for (const [domain, named] of [
    ['acme.example', agents],
    ['root-site.example', [root, `${root}/mcp`]],
    ['plain-site.example', ['http://plain.example/mcp']],
  ] as const) {
    await registry.observe(observePublisherFile(domain, { sites: [domain], agents: [...named] }))
  }
  await registry.publish()
})

interface Question {
  url: string
  payload?: object
}

const askProduct = (path: string) => (agent_url: string) => ({
  url: `/api/registry/${path}`,
  payload: {
    agent_url,
    publisher_properties: [{ publisher_domain: 'acme.example', selection_type: 'all' }],
  },
})

/** Every operation that tells what an agent can sell, with the status of an agent that nobody names. */
const questions: [name: string, build: (agent: string) => Question, status: number][] = [
  [
    'validatePropertyAuthorization',
    agent => ({
      url: `/api/registry/validate/property-authorization?agent_url=${encoded(agent)}&identifier_type=domain&identifier_value=acme.example`,
    }),
    200,
  ],
  [
    'validatePublisherAuthorization',
    agent => ({
      url: `/api/registry/publisher/authorization?agent=${encoded(agent)}&domain=other.example`,
    }),
    404,
  ],
  ['validateProductAuthorization', askProduct('validate/product-authorization'), 200],
  ['expandProductIdentifiers', askProduct('expand/product-identifiers'), 200],
  [
    'lookUpAgentDomains',
    agent => ({ url: `/api/registry/lookup/agent/${encoded(agent)}/domains` }),
    200,
  ],
  ['listAgentPublishers', agent => ({ url: `/v1/agents/${encoded(agent)}/publishers` }), 404],
  ['lookUpAgent', agent => ({ url: `/api/registry/agents/${encoded(agent)}` }), 404],
  [
    'listAuthorizations',
    agent => ({ url: `/api/registry/authorizations?agent_url=${encoded(agent)}` }),
    200,
  ],
]

describe.each(questions)('%s', (_, build, status) => {
  const get = (agent: string) =>
    registry.app.inject({
      headers: { authorization: `Bearer ${key}` },
      method: 'payload' in build(agent) ? 'POST' : 'GET',
      ...build(agent),
    })

  test.each([HOST, `${HOST}/`])('names the agents of a host for %s', async address => {
    const answer = await get(address)
    expect([answer.statusCode, answer.json().did_you_mean]).toEqual([status, agents])
  })

  test.each([HOST, `${HOST}/`])('names the agents of a host with http for %s', async address => {
    expect((await get(address.replace('https', 'http'))).json().did_you_mean).toEqual(agents)
  })

  test('names the agent with https for the same URL with http', async () => {
    for (const agent of [...agents, 'https://root.example']) {
      const answer = await get(agent.replace('https', 'HTTP'))
      expect([answer.statusCode, answer.json().did_you_mean]).toEqual([status, [agent]])
    }
  })

  test.each([
    ...agents,
    `${HOST}/other`,
    'http://sales.acme.example/other',
    'http://plain.example/mcp',
    'https://root.example',
    'https://nobody.example',
  ])('names no other agents for %s', async address => {
    expect((await get(address)).json()).not.toHaveProperty('did_you_mean')
  })
})
