import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildRequest, buildTools } from '../../api/mcp/tools.ts'
import { operations } from '../../api/routes/index.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() =>
  openRegistry({ ownRedis: true, limits: { bulkResolvePerMinute: 2 } }),
)
let address: URL
let key: string

beforeAll(async () => {
  key = await registry.createKey('Readers')
  await registry.observe(
    observeBrandFile('acme.example', 'Acme'),
    observePublisherFile('acme.example', {
      sites: ['acme.example'],
      agents: ['https://agent.example/mcp'],
    }),
  )
  await registry.publish()
  address = new URL('/mcp', await registry.app.listen({ port: 0 }))
})

type Answered = Record<string, unknown> & { events: unknown[]; error?: string }

/** Connects the official client, with or without a credential. */
async function connect(credential?: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = credential && { authorization: `Bearer ${credential}` }
  await client.connect(
    new StreamableHTTPClientTransport(
      new URL(query, address),
      headers ? { requestInit: { headers } } : {},
    ),
  )
  return client
}

async function call(client: Client, name: string, params: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: params })
  const [first] = result.content as { text: string }[]
  const body = result.structuredContent ?? JSON.parse(first!.text)
  return { isError: result.isError === true, body: body as Answered, result }
}

describe('tools', () => {
  test('are the reads that answer with JSON and need no credential', async () => {
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

  test('are more with a credential, and never writes', async () => {
    const { tools } = await (await connect(key)).listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('read_feed')
    const writes = operations.filter(({ writes }) => writes).map(({ id }) => id.toLowerCase())
    expect(names.filter(name => writes.includes(name.replaceAll('_', '')))).toEqual([])
  })

  test('are a small core set, and more on request', async () => {
    const core = await (await connect(key)).listTools()
    expect(JSON.stringify(core).length).toBeLessThanOrEqual(15_500)
    const listed = async (toolset: string) => {
      const answer = await registry.send('POST', `/mcp?toolset=${toolset}`, {
        key,
        headers: { accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      })
      expect(answer.statusCode, answer.body).toBe(200)
      return (answer.json().result.tools as { name: string }[]).map(({ name }) => name)
    }
    const all = await listed('all')
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual(expect.arrayContaining(core.tools.map(({ name }) => name)))
    expect(all).not.toContain('list_agent_publishers_alias')
    expect(await listed('policy_registry')).toContain('resolve_policy')
    expect(await listed('core,policy_registry')).toEqual(
      expect.arrayContaining(['resolve_brand', 'resolve_policy']),
    )
    for (const [query, error] of [
      ['toolset=everything', '`toolset` must be one of core'],
      ['toolsets=all', 'Unknown parameter `toolsets`. Did you mean `toolset`?'],
    ]) {
      const unknown = await registry.send('POST', `/mcp?${query}`, {
        headers: { accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      })
      expect([unknown.statusCode, unknown.json().error]).toEqual([
        400,
        expect.stringContaining(error!),
      ])
    }
  })

  test('return fifty items of a list unless the call has a limit', async () => {
    const { tools } = await (await connect(key, '?toolset=all')).listTools()
    const defaults = tools.map(({ inputSchema: { properties = {} } }) =>
      Number((properties as Record<string, { default?: number }>).limit?.default ?? 0),
    )
    expect(Math.max(...defaults)).toBe(50)
    const build = (args: object) => {
      const tool = buildTools(operations).get('list_agents')!
      return (buildRequest(tool, { ...args }) as { url: string }).url
    }
    expect(build({})).toBe('/api/registry/agents?limit=50')
    expect(build({ limit: 200 })).toBe('/api/registry/agents?limit=200')
  })

  test('name no header, which a model does not see', async () => {
    const { tools } = await (await connect(key, '?toolset=all')).listTools()
    const named = tools.filter(tool => /\bX-[A-Z]/.test(JSON.stringify(tool)))
    expect(named.map(({ name }) => name)).toEqual([])
  })

  test('take an array for every list, and a text with commas wherever the API does', async () => {
    const { tools } = await (await connect(key, '?toolset=all')).listTools()
    const inText = tools.flatMap(({ name, inputSchema: { properties = {} } }) =>
      Object.entries(properties as Record<string, { type?: string; description?: string }>)
        .filter(([, { type, description }]) => type !== 'array' && /comma/i.test(description ?? ''))
        .map(([argument]) => `${name} ${argument}`),
    )
    expect(inText).toEqual([])
    const client = await connect(key, '?toolset=all')
    for (const [name, list, more] of [
      ['search_agents', 'channels', {}],
      ['search_agents', 'markets', {}],
      ['read_feed', 'types', {}],
      ['list_authorizations', 'evidence', { agent_url: 'https://seller.example/mcp' }],
    ] as const) {
      const values = {
        types: ['agent.*', 'property.*'],
        evidence: ['adagents_json', 'community'],
        markets: ['GB', 'DE'],
        channels: ['ctv', 'display'],
      }[list]
      const call = (value: unknown) =>
        client.callTool({ name, arguments: { ...more, [list]: value } })
      const [asArray, asText] = [await call(values), await call(values.join())]
      expect([name, asArray.isError ?? false, asArray.content]).toEqual([
        name,
        false,
        asText.content,
      ])
    }
  })

  test('that only a person may call are not offered to a key', async () => {
    const { tools } = await (await connect(key, '?toolset=all')).listTools()
    const personal = [...buildTools(operations).values()].filter(
      ({ operation }) => operation.isForPeople,
    )
    expect(personal.map(({ name }) => name)).toContain('list_watches')
    for (const { name } of personal) expect(tools.map(tool => tool.name)).not.toContain(name)
  })

  test('name the fields that decide a case and that not every response has', async () => {
    const { tools } = await (await connect()).listTools()
    const listFields = (name: string) =>
      Object.keys(tools.find(tool => tool.name === name)!.outputSchema!.properties ?? {})
    const verdict = listFields('validate_property_authorization')
    expect(verdict).toEqual(expect.arrayContaining(['needs', 'evidence', 'did_you_mean']))
    expect(verdict).not.toContain('authorized')
    expect(listFields('resolve_brand')).toContain('house_name')
  })

  test('that write are listed with a credential, where they are asked for', async () => {
    const { tools } = await (await connect(key, '?toolset=write')).listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'create_watch',
      'request_crawl',
      'save_brand',
      'save_property',
    ])
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: false })
    expect((await (await connect(undefined, '?toolset=write')).listTools()).tools).toEqual([])
  })

  test('name each of their arguments, also those of a named body', async () => {
    const { tools } = await (await connect()).listTools()
    for (const name of ['resolve_brands_bulk', 'resolve_properties_bulk']) {
      const { inputSchema } = tools.find(tool => tool.name === name)!
      expect(inputSchema.properties).toMatchObject({ domains: { type: 'array' } })
      expect(inputSchema.required).toEqual(['domains'])
    }
    for (const { outputSchema } of tools) expect(outputSchema!.type).toBe('object')
  })

  test.each(['', '?toolset=all'])('describe all of their arguments: %s', async query => {
    const { tools } = await (await connect(key, query)).listTools()
    const undescribed = tools.flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties ?? {})
        .filter(([, schema]) => (schema as { description?: string }).description === undefined)
        .map(([argument]) => `${name}.${argument}`),
    )
    expect(undescribed).toEqual([])
  })

  test('take the address of an agent as it is, under one name', async () => {
    const { tools } = await (await connect(key, '?toolset=all')).listTools()
    for (const { name, inputSchema } of tools) {
      const names = Object.keys(inputSchema.properties ?? {})
      expect(names, name).not.toContain('encodedUrl')
      expect(names, name).not.toContain('agentUrl')
      expect(names, name).toEqual(expect.arrayContaining(inputSchema.required ?? []))
      expect(JSON.stringify(inputSchema), name).not.toContain('percent-encoded')
    }
  })

  test('describe their input as the HTTP route does', async () => {
    const { tools } = await (await connect()).listTools()
    const tool = tools.find(({ name }) => name === 'look_up_publisher')!
    expect(tool.inputSchema.required).toEqual(['domain'])
    expect(Object.keys(tool.inputSchema.properties!)).toEqual(
      expect.arrayContaining(['domain', 'include']),
    )
  })
})

describe('a call', () => {
  test('gets the answer of the route', async () => {
    const { body, result } = await call(await connect(), 'resolve_brand', {
      domain: 'acme.example',
    })
    const { body: direct } = await registry.app.inject('/api/brands/resolve?domain=acme.example')
    expect(body).toEqual(JSON.parse(direct))
    expect(result).toEqual({
      content: [{ type: 'text', text: direct }],
      structuredContent: body,
    })
  })

  test.each([
    [{}, '`domain` is required.'],
    [{ domain: null }, '`domain` is required.'],
    [{ domain: ' ' }, '`domain` must not be empty.'],
    [{ domain: '..' }, '`domain` must be a name.'],
    [{ domain: '.' }, '`domain` must be a name.'],
  ])('with %j in its path cannot leave the path', async (params, error) => {
    const { isError, body } = await call(await connect(), 'look_up_domain', params)
    expect([isError, body]).toEqual([true, { error, code: 'invalid_request' }])
  })

  test('fills in a path and escapes its arguments', async () => {
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

  test('is refused with the error of the route, as a result', async () => {
    const { isError, body } = await call(await connect(), 'resolve_brand', {})
    expect(isError).toBe(true)
    expect(body.error).toBe('`domain` is required.')
  })

  test('counts towards the limits of its route', async () => {
    const client = await connect()
    const params = { domains: ['acme.example'] }
    const calls = [1, 2, 3].map(() => call(client, 'resolve_properties_bulk', params))
    const answers = await Promise.all(calls)
    expect(answers.filter(({ isError }) => isError)).toHaveLength(1)
  })

  test('passes parameters of the query on where there is a body too, and names unknown ones', async () => {
    const client = await connect()
    const asked = { agent_url: 'https://agent.example/mcp', publisher_properties: [] }
    const invalid = await call(client, 'validate_product_authorization', { ...asked, as_of: 'x' })
    expect(invalid.body.error).toMatch(/^`as_of` /)
    const unknown = await call(client, 'resolve_brand', { domian: 'acme.example' })
    expect(unknown.body.error).toBe('Unknown parameter `domian`. Did you mean `domain`?')
    const inPath = await call(client, 'look_up_agent_domains', { agent_ulr: 'https://a.example' })
    expect(inPath.body.error).toBe('Unknown parameter `agent_ulr`. Did you mean `agent_url`?')
  })

  test.each([
    [{ agent_url: 'https://agent.example/mcp' }],
    [{ agent_url: 'https%3A%2F%2Fagent.example%2Fmcp' }],
    [{ agentUrl: 'https://agent.example/mcp' }],
    [{ agentUrl: 'https%3a%2f%2fagent.example%2fmcp' }],
  ])('takes the address of an agent as %j', async params => {
    const { body } = await call(await connect(), 'look_up_agent_domains', params)
    expect(body).toMatchObject({ agent_url: 'https://agent.example/mcp' })
    expect(body.domains).not.toEqual([])
  })

  test.each([['no address'], ['https%3A%2F%2F%E0%A4%A']])(
    'with the address %j is refused by the name of its argument',
    async agent_url => {
      const params = { agent_url }
      const { isError, body } = await call(await connect(), 'get_agent_compliance', params)
      expect([isError, body.error]).toEqual([true, expect.stringMatching(/^`agent_url` must be /)])
    },
  )

  test('passes the credential on', async () => {
    const { body } = await call(await connect(key), 'read_feed', { limit: 1 })
    expect(body.events).toHaveLength(1)
  })

  test('of a tool that needs a credential fails without one', async () => {
    const client = await connect()
    const { isError, body } = await call(client, 'read_feed')
    expect([isError, body.error]).toEqual([true, expect.stringContaining('Missing API key')])
    expect(client.getInstructions()).toContain('Authorization: Bearer sk_…')
    const [tool] = (await (await connect(key)).listTools()).tools.filter(
      ({ name }) => name === 'read_feed',
    )
    expect(tool!.description).toContain('Requires a credential')
  })

  test('of an unknown tool names it', async () => {
    await expect(call(await connect(), 'no_such')).rejects.toThrow(
      /^MCP error -32602: there is no tool "no_such"$/,
    )
    await expect(call(await connect(), 'resolve_brands')).rejects.toThrow(
      'there is no tool "resolve_brands". Did you mean resolve_brand?',
    )
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
    registry.send('POST', '/mcp', {
      headers: { accept, 'content-type': 'application/json', ...headers },
      payload,
    })

  test('initializes without a session', async () => {
    const answer = await post(initialize)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(answer.json().result).toMatchObject({ serverInfo: { name: 'agentic-ad-registry' } })
  })

  test('accepts POST only', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await registry.app.inject({ method, url: '/mcp', headers: { accept } })
      expect(answer.statusCode).toBe(405)
      expect(answer.headers.allow).toBe('POST, OPTIONS')
    }
  })

  test('refuses an invalid credential', async () => {
    const answer = await post(initialize, { authorization: 'Bearer sk_nobody' })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('invalid_token')
  })

  test('answers a body that is not JSON as JSON-RPC does', async () => {
    const answer = await post('{')
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        error: { code: ErrorCode.ParseError, message: 'the body is not JSON' },
        id: null,
      },
    ])
  })

  test('refuses a message of another version', async () => {
    expect((await post('{"jsonrpc":"1.0"}')).statusCode).toBe(400)
  })

  test.each(['null', '"x"', '7', '[]'])(
    'answers %s, which holds no message, as JSON-RPC does',
    async payload => {
      const answer = await post(payload)
      expect([answer.statusCode, answer.json()]).toMatchObject([
        400,
        { id: null, error: { code: ErrorCode.InvalidRequest } },
      ])
    },
  )

  test.each([
    ['without a tool', {}],
    ['without parameters', undefined],
    ['with arguments that are no object', { name: 'resolve_brand', arguments: 'acme.example' }],
  ])('reports a call %s as the caller’s mistake', async (_what, params) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await post(JSON.stringify(call))
    expect([answer.statusCode, answer.json().error.code]).toEqual([200, ErrorCode.InvalidParams])
  })
})

describe('a tool that writes', () => {
  test('saves with a key, and is refused without one', async () => {
    const saved = { domain: 'saved.example', brand_name: 'Saved' }
    await registry.submit({
      op: 'organization.domain.add',
      org: 'Readers',
      domain: 'saved.example' as Domain,
      proof: 'operator',
    })
    const { body, isError } = await call(await connect(key), 'save_brand', saved)
    expect([isError, body]).toEqual([false, expect.objectContaining({ success: true })])
    const shown = await call(await connect(), 'resolve_brand', { domain: 'saved.example' })
    expect(shown.body).toMatchObject({ brand_name: 'Saved', source: 'community' })
    const refused = await call(await connect(), 'save_brand', saved)
    expect([refused.isError, refused.body.error]).toEqual([
      true,
      expect.stringContaining('Missing API key'),
    ])
  })

  test('says why a key that nobody created in the dashboard cannot watch', async () => {
    const { body, isError } = await call(await connect(key), 'create_watch', {
      domain: 'a.example',
    })
    expect([isError, body.error]).toEqual([
      true,
      expect.stringContaining('create one in the dashboard'),
    ])
  })
})

describe('resources', () => {
  const origin = 'https://registry.example'

  test('are brands, publishers and agents by their addresses', async () => {
    const client = await connect()
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ name }) => name)).toEqual(['brand', 'publisher', 'agent'])
    const values = { domain: 'acme.example', agent_url: 'https://agent.example/mcp' }
    for (const { uriTemplate } of resourceTemplates) {
      const uri = uriTemplate.replace(/\{(\w+)\}/, (_, name: keyof typeof values) =>
        encodeURIComponent(values[name]),
      )
      const { contents } = await client.readResource({ uri })
      const direct = await registry.app.inject(uri.slice(origin.length))
      expect([uri, direct.statusCode]).toEqual([uri, 200])
      expect(contents).toEqual([{ uri, mimeType: 'application/json', text: direct.body }])
    }
  })

  test('are documents that tell how to go on', async () => {
    const client = await connect()
    const { resources } = await client.listResources()
    for (const { uri, mimeType } of resources) {
      const { contents } = await client.readResource({ uri })
      expect(contents).toMatchObject([{ uri, mimeType }])
    }
    expect(resources.map(({ uri }) => uri)).toContain(`${origin}/llms.txt`)
  })

  test.each([
    'https://elsewhere.example/llms.txt',
    `${origin}/api/brands/resolve?domain=nobody.example`,
    `${origin}/api/brands/resolve?domain=`,
    `${origin}/api/v1/agents/../publishers`,
    `${origin}/api/v1/agents/%2e%2e/publishers`,
    `${origin}/api/registry/feed`,
    `${origin}/api/brands/resolve?domain=%E0%A4%A`,
    'acme.example',
  ])('%s is none', async uri => {
    await expect((await connect()).readResource({ uri })).rejects.toMatchObject({ code: -32_002 })
  })
})

test('the description of the server is what the MCP registry takes, and leads here', async () => {
  const { body, headers } = await registry.app.inject('/server.json')
  expect(headers['content-type']).toContain('application/json')
  const described = JSON.parse(body)
  // Rules of the schema that it names.
  expect(described.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(described.name).toBe('example.registry/registry')
  expect(described.description.length).toBeLessThanOrEqual(100)
  expect(described.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(described.remotes).toEqual([
    { type: 'streamable-http', url: 'https://registry.example/mcp' },
  ])
})
