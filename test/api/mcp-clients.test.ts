import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type McpClient, mcpClients } from '../support/clients/mcp-clients.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import {
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../support/servers/reference-agent.ts'
import { testClock } from '../support/worlds/clock.ts'

let registry: TestRegistry
let agent: ReferenceAgent
beforeAll(async () => {
  registry = await openRegistry()
  await registry.observe(observeBrandFile('acme.example', 'Acme'))
  await registry.publish()
  agent = await startReferenceAgent(testClock())
})
afterAll(async () => {
  await registry.close()
  await agent.close()
})

interface Door {
  app: FastifyInstance
  url: string
  tool: string
  params: object
  /** A member of every answer of the tool. */
  member: string
  capabilities: object
}

const doors = {
  'the registry': () => ({
    app: registry.app,
    url: '/mcp',
    tool: 'resolve_brand',
    params: { domain: 'acme.example' },
    member: 'brand_name',
    capabilities: { tools: {}, resources: {} },
  }),
  'the reference agent': () => ({
    app: agent.app,
    url: '/sales/mcp',
    tool: 'get_adcp_capabilities',
    params: {},
    member: 'supported_protocols',
    capabilities: { tools: {} },
  }),
} satisfies Record<string, () => Door>

/** Posts a message as a client does, and returns the message that it gets. */
async function post({ app, url }: Door, client: McpClient, message: object, version?: string) {
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      // Without this line the test client would name one of its own.
      ...(client.accept !== undefined && { accept: client.accept }),
      ...(url !== '/mcp' && { authorization: `Bearer ${TOKEN}` }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    },
    payload: { jsonrpc: '2.0', ...message },
  })
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream')
  const data = isStream ? /^data: (.*)$/m.exec(answer.body)![1]! : answer.body
  return {
    status: answer.statusCode,
    isStream,
    message: data === '' ? undefined : JSON.parse(data),
  }
}

const cases = Object.entries(doors).flatMap(([door, open]) =>
  Object.entries(mcpClients).map(([name, client]) => [name, door, client, open] as const),
)

test.each(cases)(
  '%s reads the answers of %s, as text and as data',
  async (_, _door, client, open) => {
    const door: Door = open()
    const { version: protocolVersion, capabilities } = client
    const clientInfo = { name: 'a client', version: '1.0' }
    const params = { protocolVersion, capabilities, clientInfo }
    const hello = await post(door, client, { id: 0, method: 'initialize', params })
    expect(hello).toMatchObject({ status: 200 })
    expect(hello.message.result.capabilities).toEqual(door.capabilities)
    const agreed: string = hello.message.result.protocolVersion
    if (protocolVersion < '2026') expect(agreed).toBe(protocolVersion)
    const version = client.namesVersion ? agreed : undefined
    const ready = await post(door, client, { method: 'notifications/initialized' }, version)
    expect(ready.status).toBe(202)
    const list = await post(door, client, { id: 1, method: 'tools/list' }, version)
    expect(list.message.result.tools.map(({ name }: { name: string }) => name)).toContain(door.tool)
    const call = {
      id: 'two',
      method: 'tools/call',
      params: { name: door.tool, arguments: door.params },
    }
    const { message, isStream } = await post(door, client, call, version)
    const { content, structuredContent } = message.result
    expect(structuredContent).toHaveProperty(door.member)
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    const acceptsJson = !/^text\/event-stream$/.test(client.accept ?? '')
    if (door.url === '/mcp') expect(isStream).toBe(!acceptsJson)
  },
)

describe('a client that accepts neither JSON nor an event stream', () => {
  test.each(Object.entries(doors))('is told so by %s', async (_, open) => {
    const client = { ...mcpClients.axios!, accept: 'text/html' }
    const answer = await post(open(), client, { id: 1, method: 'ping' })
    expect([answer.status, answer.message.error.message]).toEqual([
      406,
      expect.stringContaining('accept'),
    ])
  })
})
