import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { groups, groupTexts } from '../../api/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { publicErrors } from '../../pipeline/core/errors.ts'
import { ErrorBody } from '../../pipeline/model/answers.ts'
import type { TestRegistry } from '../support/app.ts'
import { brandFile, publisherFile } from '../support/documents.ts'
import { agentAt, type LiveWeb, openLiveWeb } from '../support/live.ts'
import { enrol, probed } from '../support/members.ts'

let web: LiveWeb
let registry: TestRegistry
let key: string
let crawlRequest: string
let reports: string[]

beforeAll(async () => {
  web = await openLiveWeb({
    'agent.example': { '/mcp': agentAt({ get_products: { products: [] } }) },
    'away.example': { '*': ({ request }) => request.socket.destroy() },
  })
  registry = await web.open()
  key = await registry.createKey('Readers')
  const sites = ['acme.example', 'www.acme.example']
  const agents = ['https://agent.example/mcp']
  await enrol(registry, {
    ...{ org: 'Acme', tier: 'company_leader', domains: ['acme.example'] },
    agents: [{ url: agents[0]! }],
  })
  await registry.observe(
    brandFile('acme.example', 'Acme'),
    publisherFile('acme.example', { sites, agents, placements: ['top'] }),
    probed(agents[0]!, { tools: [{ name: 'get_products' }] }),
  )
  const asked = await registry.app.inject({
    ...{ method: 'POST', url: '/api/registry/crawl-request' },
    ...{ headers: { authorization: `Bearer ${key}` }, payload: { domain: 'c.example' } },
  })
  crawlRequest = asked.json().crawl_request_id
  const report = async (url: string, payload: object) =>
    (await registry.app.inject({ method: 'POST', url, payload })).json().report_id
  reports = [
    await report('/api/properties/check', { domains: ['acme.example'] }),
    await report('/api/properties/check/bulk', { identifiers: ['acme.example'] }),
  ]
  await registry.publish()
})

afterAll(async () => {
  await web.close()
})

async function description() {
  return parse((await registry.app.inject('/openapi/registry.yaml')).body)
}

describe.each(['/openapi/registry.yaml', '/.well-known/openapi.yaml'])('GET %s', url => {
  test('200: the description, in place', async () => {
    const answer = await registry.app.inject(url)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(parse(answer.body)).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: 'https://registry.example' }],
      tags: groups.map(name => ({ name, description: groupTexts[name] })),
    })
  })
})

const security = { public: [], bearer: [{ bearer: [] }], optional: [{}, { bearer: [] }] }

test('every operation is described, with its parameters and refusals', async () => {
  const { paths } = await description()
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const described = paths[path][operation.method.toLowerCase()]
    expect(described.operationId).toBe(operation.id)
    const statuses = Object.keys(operation.reply)
    const refusals = operation.errors.map(name => String(publicErrors[name].status))
    expect(Object.keys(described.responses)).toEqual(
      expect.arrayContaining([...statuses, ...refusals, '500']),
    )
    expect(described.security).toEqual(security[operation.access])
  }
  expect(Object.keys(paths)).toHaveLength(new Set(operations.map(({ path }) => path)).size)
  expect(paths['/api/registry/lookup/domain/{domain}'].get.parameters).toMatchObject([
    { name: 'domain', in: 'path', required: true },
  ])
  expect(paths['/api/registry/feed'].get.parameters).toMatchObject([
    { name: 'cursor', in: 'query' },
    { name: 'types', in: 'query' },
    {
      name: 'limit',
      schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 100 },
    },
  ])
})

test('a public linter has nothing to say but that some operations cannot be asked wrongly', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = (await registry.app.inject('/openapi/registry.yaml')).body
  const problems = await lintFromString({ source, config })
  const others = problems.filter(({ ruleId }) => ruleId !== 'operation-4xx-response')
  expect(others.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test('every reference leads to a component', async () => {
  const text = JSON.stringify(await description())
  const { components } = JSON.parse(text)
  const named = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(name => !(name in components.schemas))).toEqual([])
  expect(text).not.toContain('$defs')
})

const agent = encodeURIComponent('https://agent.example/mcp')
const away = encodeURIComponent('https://away.example')
const product = {
  agent_url: 'https://agent.example/mcp',
  publisher_properties: [{ publisher_domain: 'acme.example' }],
}
const site = {
  ...{ property_type: 'website', name: 'Acme' },
  identifiers: [{ type: 'domain', value: 'acme.example' }],
}

/** A request of each operation that is answered, and one that is refused where it can be. */
const requests: Record<
  string,
  { url?: string | (() => string); payload?: object; refused?: string | object }
> = {
  resolveBrand: { url: '?domain=acme.example', refused: '?domain=nobody.example' },
  resolveBrandsBulk: { payload: { domains: ['acme.example', 'b.example'] }, refused: {} },
  listBrands: { refused: '?limit=x' },
  findBrands: { url: '?q=acme', refused: '?q=a' },
  search: { url: '?q=acme', refused: '' },
  enrichBrand: { url: '?domain=acme.example', refused: '?domain=nobody.example' },
  resolveProperty: { url: '?domain=acme.example', refused: '?domain=nobody.example' },
  resolvePropertiesBulk: { payload: { domains: ['acme.example', 'b.example'] }, refused: {} },
  listProperties: { refused: '?limit=x' },
  requestCrawl: { payload: { domain: 'acme.example' }, refused: { domain: 'acme.example' } },
  requestBrandCrawl: { payload: { domain: 'b.example' }, refused: { domain: 'b.example' } },
  requestManagerRevalidation: { payload: { manager_domain: 'acme.example' }, refused: {} },
  searchAgents: { url: '?channels=display&limit=1', refused: '?limit=0' },
  listAuthorizations: {
    ...{ url: '?agent_url=https%3A%2F%2Fagent.example%2Fmcp', refused: '?agent_url=x' },
  },
  snapshotAuthorizations: { refused: '?include=raw' },
  listCatalog: { url: '?status=all', refused: '?cursor=x' },
  syncCatalog: { url: '?since=2026-01-01', refused: '' },
  listCatalogCollections: { refused: '?limit=0' },
  syncCatalogCollections: { refused: '?offset=-1' },
  resolveIdentifiers: {
    payload: {
      ...{ identifiers: [{ type: 'domain', value: 'acme.example' }], mode: 'lookup' },
      provenance: { type: 'crawl' },
    },
    refused: {},
  },
  brandHistory: { url: '?domain=acme.example', refused: '?domain=nobody.example' },
  propertyHistory: { url: '?domain=acme.example', refused: '?domain=nobody.example' },
  lookUpManifest: { url: '?domain=acme.example', refused: '?domain=acme.example&type=x' },
  getCrawlRequest: { url: () => crawlRequest, refused: 'x' },
  readFeed: { refused: '?cursor=01939f00-0000-7000-8000-000000000000' },
  listAgents: { url: '?health=true&capabilities=true', refused: '?type=si' },
  listPublishers: { refused: '?limit=x' },
  lookUpOperator: { url: '?domain=acme.example', refused: '?domain=acme.example&scope=x' },
  lookUpPublisher: { url: '?domain=acme.example&include=placements', refused: '' },
  getBrandJson: { url: '?domain=acme.example', refused: '?domain=nobody.example' },
  validateProperty: { url: '?domain=nobody.example', refused: '?domain=x' },
  checkPropertyList: { payload: { domains: ['www.acme.example', 'doubleclick.net'] }, refused: {} },
  checkIdentifierList: { payload: { identifiers: ['acme.example', 'ROKU,1'] }, refused: {} },
  getPropertyCheck: { url: () => reports[0]!, refused: 'x' },
  getIdentifierCheck: { url: () => reports[1]!, refused: 'x' },
  validateAdagents: { payload: { domain: 'nobody.example' }, refused: {} },
  createAdagents: {
    payload: { authorized_agents: [], catalog_etag: '1', properties: [site] },
    refused: { authorized_agents: [] },
  },
  discoverAgent: { url: `?url=${agent}`, refused: `?url=${away}` },
  getAgentFormats: { url: `?url=${agent}`, refused: `?url=${away}` },
  getAgentProducts: { url: `?url=${agent}`, refused: `?url=${away}` },
  getAgentPublishers: { url: `?url=${agent}`, refused: '?url=x' },
  validatePublisher: { url: '?domain=nobody.example', refused: '' },
  lookUpDomain: { url: 'acme.example', refused: 'x' },
  authorizePublisher: {
    url: `?domain=acme.example&agent=${agent}&explain=true`,
    refused: `?domain=nobody.example&agent=${agent}`,
  },
  listAgentPublishers: { url: agent, refused: 'x' },
  listAgentPublishersAlias: { url: agent, refused: 'x' },
  lookUpProperty: { url: '?type=domain&value=acme.example', refused: '' },
  lookUpAgentDomains: { url: agent, refused: 'x' },
  validateProductAuthorization: { payload: { ...product, explain: true }, refused: {} },
  expandProductIdentifiers: { payload: product, refused: {} },
  validatePropertyAuthorization: {
    url: `?agent_url=${agent}&identifier_type=domain&identifier_value=acme.example&explain=true`,
    refused: '',
  },
}

describe('replies are as described', () => {
  // A stream has no end that could be waited for; feed-stream.test.ts reads it.
  const ending = operations.filter(({ id }) => id !== 'streamFeed')
  test.each(ending.map(operation => [operation.id, operation] as const))('%s', async (id, of) => {
    const { url = '', payload, refused } = requests[id] ?? {}
    const end = typeof url === 'string' ? url : url()
    const call = (end: string, body?: object) =>
      registry.app.inject({
        method: of.method,
        url: of.path.includes(':') ? of.path.replace(/:\w+/, () => end) : of.path + end,
        headers: { authorization: `Bearer ${key}` },
        ...(body && { payload: body }),
      })
    const answer = await call(end, payload)
    const body = of.reply[answer.statusCode]
    expect(body, `${answer.statusCode} ${answer.body}`).toBeDefined()
    if (body instanceof z.ZodType) body.parse(answer.json())
    else expect(answer.headers['content-type']).toContain(body!.type.split(';')[0])
    if (refused === undefined) return
    const refusal = typeof refused === 'string' ? await call(refused) : await call('', refused)
    expect(of.errors.map(name => publicErrors[name].status)).toContain(refusal.statusCode)
    ErrorBody.parse(refusal.json())
  })
})
