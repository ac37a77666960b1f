import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import type { KeyPermission } from '../../pipeline/core/roles.ts'
import {
  type ApiRequest,
  type Known,
  operationRequests,
  unissued,
  url,
} from '../support/clients/operation-requests.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, observeAgent } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
let admin: string
let reading: string
let standard: string

beforeAll(async () => {
  await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['acme.example'],
    agents: [{ url }],
  })
  await registry.observe(
    observeBrandFile('acme.example', 'Acme'),
    observePublisherFile('acme.example', { sites: ['acme.example'], agents: [url] }),
    observeAgent(url, { tools: [{ name: 'get_products' }] }),
  )
  await registry.publish()
  admin = await registry.createKey('Acme', ['admin:*'])
  reading = (await make(['read'])).json().value
  standard = (await make([])).json().value
})

const make = (permissions: KeyPermission[]) =>
  registry.send('POST', '/api/me/api-keys', { key: admin, payload: { name: 'Feed', permissions } })

/** Has for each name an id that the registry has not issued. */
const ids = <Fields extends object>(fields = {} as Fields) =>
  new Proxy(fields, { get: (_, name) => Reflect.get(fields, name) ?? unissued })
const unknown = ids({
  proposals: Array(4).fill({ id: unissued, digest: 'none' }),
  readersIds: ids(),
  registryAdmins: ids(),
  subscriptions: ids(),
  watches: ids(),
  comparisons: ids(),
}) as unknown as Known

type Case = [id: string, operation: Operation, asked: ApiRequest]

/** Lists operations with a request of each. */
function listCases(isListed: (operation: Operation) => boolean): Case[] {
  return operations.filter(isListed).flatMap(operation => {
    const asked = chooseRequest(operation)
    return asked === undefined ? [] : [[operation.id, operation, asked] satisfies Case]
  })
}

function chooseRequest({ id, writes, access }: Operation): ApiRequest | undefined {
  const requests = operationRequests[id] ?? {}
  // What is open to everybody writes only where it asks for a credential.
  const status =
    writes && access === 'optional' ? 401 : Math.min(...Object.keys(requests).map(Number))
  const template = requests[status]
  return typeof template === 'function' ? template(unknown) : template
}

function ask(
  { method, path }: Operation,
  { params = [], query, payload, headers }: ApiRequest,
  key: string,
) {
  const at = [params].flat().reduce((made, value) => String(made).replace(/:\w+/, value), path)
  return registry.app.inject({
    method,
    url: query === undefined ? at : `${at}?${query}`,
    headers: {
      ...(typeof payload === 'string' && { 'content-type': 'application/json' }),
      ...headers,
      authorization: `Bearer ${key}`,
    },
    ...(payload !== undefined && { payload }),
  })
}

describe('a key with the permission read', () => {
  const writing = listCases(({ writes, access }) => writes === true && access !== 'public')

  test('is refused by some fifty operations', () => {
    expect(writing.length).toBeGreaterThan(50)
  })

  test.each(writing)('changes nothing by %s', async (_id, operation, asked) => {
    const submitted = registry.submitted.length
    const answer = await ask(operation, asked, reading)
    expect([answer.statusCode, answer.json()]).toMatchObject([
      403,
      { code: 'forbidden', error: expect.stringMatching(/^This key has the permission `read`/) },
    ])
    expect(registry.submitted.slice(submitted)).toEqual([])
    expect((await ask(operation, asked, standard)).body).not.toContain('the permission `read`')
  })

  // A stream has no end that could be waited for.
  const readable = listCases(({ id, writes }) => !writes && id !== 'streamFeed')

  test.each(readable)('gets by %s what a standard key gets', async (_id, operation, asked) => {
    const [answer, expected] = [
      await ask(operation, asked, reading),
      await ask(operation, asked, standard),
    ]
    expect(answer.statusCode).toBe(expected.statusCode)
    expect(dropIds(answer.body)).toBe(dropIds(expected.body))
  })

  test('has no other permission', async () => {
    for (const other of ['admin:read', 'admin:*'] as const) {
      const { statusCode, body } = await make(['read', other])
      expect([statusCode, body]).toEqual([400, expect.stringContaining('cannot contain `read`')])
    }
  })

  test('is offered no tool that writes, and is refused one that it calls', async () => {
    const address = await registry.app.listen({ port: 0 })
    const list = async (key: string) => {
      const client = await connect(new URL('/mcp?toolset=write,core', address), key)
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name)
    }
    expect(await list(standard)).toContain('save_brand')
    expect(await list(reading)).not.toContain('save_brand')
    expect(await list(reading)).toContain('read_feed')
    const client = await connect(new URL('/mcp?toolset=write', address), reading)
    const args = { domain: 'acme.example', brand_name: 'Acme' }
    const { isError, content } = await client.callTool({ name: 'save_brand', arguments: args })
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.stringContaining('the permission `read`'),
    ])
  })
})

/** Drops what differs between any two requests. */
function dropIds(body: string): string {
  return body.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
}

async function connect(address: URL, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }))
  return client
}
