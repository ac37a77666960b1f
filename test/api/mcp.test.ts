import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../api/routes/index.ts'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { brandFile, publisherFile } from '../support/documents.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
let registry: TestRegistry
let address: URL
let key: string

beforeAll(async () => {
  redis = await startRedis()
  registry = await openRegistry({ redis: redis.redis, limits: { bulkResolvePerMinute: 2 } })
  key = await registry.createKey('Readers')
  await registry.observe(
    brandFile('acme.example', 'Acme'),
    publisherFile('acme.example', {
      sites: ['acme.example'],
      agents: ['https://agent.example/mcp'],
    }),
  )
  await registry.publish()
  address = new URL('/mcp', await registry.app.listen({ port: 0 }))
})

afterAll(async () => {
  await registry.close()
  await redis.close()
})

/** The official client, with a credential or without. */
async function connect(credential?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = credential && { authorization: `Bearer ${credential}` }
  await client.connect(
    new StreamableHTTPClientTransport(address, headers ? { requestInit: { headers } } : {}),
  )
  return client
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given })
  const [first] = result.content as { text: string }[]
  return { isError: result.isError === true, body: JSON.parse(first!.text), result }
}

describe('tools', () => {
  test('are the reads that answer with JSON, without those that need a credential', async () => {
    const { tools } = await (await connect()).listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('resolve_brand')
    expect(names).toContain('look_up_publisher')
    expect(names).not.toContain('read_feed')
    expect(names).not.toContain('request_crawl')
    expect(names).not.toContain('stream_feed')
    expect(names).not.toContain('is_alive')
    for (const { inputSchema, annotations } of tools) {
      expect(inputSchema.type).toBe('object')
      expect(annotations).toMatchObject({ readOnlyHint: true })
    }
  })

  test('are more for whoever has a credential, and never a write', async () => {
    const { tools } = await (await connect(key)).listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('read_feed')
    const writes = operations.filter(({ writes }) => writes).map(({ id }) => id.toLowerCase())
    expect(names.filter(name => writes.includes(name.replaceAll('_', '')))).toEqual([])
  })

  test('describe what they take as HTTP does', async () => {
    const { tools } = await (await connect()).listTools()
    const tool = tools.find(({ name }) => name === 'look_up_publisher')!
    expect(tool.inputSchema.required).toEqual(['domain'])
    expect(Object.keys(tool.inputSchema.properties!)).toEqual(
      expect.arrayContaining(['domain', 'include']),
    )
  })
})

describe('a call', () => {
  test('answers what the route answers', async () => {
    const { body, result } = await call(await connect(), 'resolve_brand', {
      domain: 'acme.example',
    })
    const { body: direct } = await registry.app.inject('/api/brands/resolve?domain=acme.example')
    expect(body).toEqual(JSON.parse(direct))
    expect(result.structuredContent).toEqual(body)
  })

  test('fills in a path, and escapes what it is given', async () => {
    const client = await connect()
    const { body } = await call(client, 'look_up_domain', { domain: 'acme.example' })
    expect(body.authorized_agents).toMatchObject([{ url: 'https://agent.example/mcp' }])
    const odd = await call(client, 'look_up_domain', { domain: '../feed?x=' })
    expect(odd).toMatchObject({ isError: true, body: { error: expect.stringContaining('domain') } })
  })

  test('sends a body', async () => {
    const { body } = await call(await connect(), 'resolve_brands_bulk', {
      domains: ['acme.example', 'nobody.example'],
    })
    expect(body.results).toMatchObject({
      'acme.example': { brand_name: 'Acme' },
      'nobody.example': null,
    })
  })

  test('is refused in the words of the route, as a result', async () => {
    const { isError, body } = await call(await connect(), 'resolve_brand', {})
    expect(isError).toBe(true)
    expect(body.error).toBe('domain: is required')
  })

  test('counts towards the limits of its route', async () => {
    const client = await connect()
    const given = { domains: ['acme.example'] }
    const calls = [1, 2, 3].map(() => call(client, 'resolve_properties_bulk', given))
    const answers = await Promise.all(calls)
    expect(answers.filter(({ isError }) => isError)).toHaveLength(1)
  })

  test('carries the credential along', async () => {
    const { body } = await call(await connect(key), 'read_feed', { limit: 1 })
    expect(body.events).toHaveLength(1)
  })

  test('of a tool that needs a credential, without one, names no such tool', async () => {
    await expect(call(await connect(), 'read_feed')).rejects.toThrow('there is no tool read_feed')
  })
})

describe('the transport', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    },
  }
  const accept = 'application/json, text/event-stream'
  const post = (payload: object | string, headers = {}) =>
    registry.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept, 'content-type': 'application/json', ...headers },
      payload,
    })

  test('introduces itself, without a session', async () => {
    const answer = await post(initialize)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(answer.json().result).toMatchObject({ serverInfo: { name: 'agentic-ad-registry' } })
  })

  test('takes POST only', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await registry.app.inject({ method, url: '/mcp', headers: { accept } })
      expect(answer.statusCode).toBe(405)
      expect(answer.headers.allow).toBe('POST, OPTIONS')
    }
  })

  test('refuses a credential that is not valid', async () => {
    const answer = await post(initialize, { authorization: 'Bearer sk_nobody' })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('invalid_token')
  })

  test.each([
    ['{', 400],
    ['{"jsonrpc":"1.0"}', 400],
    ['null', 400],
  ])('refuses %s', async (payload, status) => {
    expect((await post(payload)).statusCode).toBe(status)
  })

  test.each([
    ['without a tool', {}],
    ['without parameters', undefined],
    ['with arguments that are no object', { name: 'resolve_brand', arguments: 'acme.example' }],
  ])('tells a call %s that it is the caller’s fault', async (_what, params) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await post(JSON.stringify(call))
    expect([answer.statusCode, answer.json().error.code]).toEqual([200, ErrorCode.InvalidParams])
  })

  test('refuses who does not take both of its media types', async () => {
    expect((await post(initialize, { accept: 'text/html' })).statusCode).toBe(406)
  })
})
