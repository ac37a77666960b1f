import { type Answer, type Ask, answerStatus, reply } from './answer.ts'
import { type Agent, toUrl } from './demo-agents.ts'
import type { Doc } from './site.ts'
import { buildTools, runTask, type TaskResult } from './tasks.ts'

type Call = { id?: unknown; method?: unknown; params?: Record<string, unknown> }

const versions = ['2025-06-18', '2025-03-26', '2024-11-05']

/**
 * Answers one MCP request over Streamable HTTP. It is stateless: the session id is always the same.
 */
export function answerMcp(agent: Agent, ask: Ask, protocolName: string): Answer {
  const session = `session-of-${agent.host}`
  if (ask.method === 'DELETE') return answerStatus(agent.session ? 204 : 405)
  if (ask.method !== 'POST') return answerStatus(405, { allow: 'POST, DELETE' })
  const accept = ask.headers.accept ?? ''
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return reply(406, buildFailure(null, -32000, 'Accept JSON and event streams'))
  }
  const call = parseCall(ask.body)
  if (call === undefined) return reply(400, buildFailure(null, -32700, 'That is not a call'))
  const opens = call.method === 'initialize'
  if (agent.session && !opens) {
    const sessionId = ask.headers['mcp-session-id']
    if (sessionId === undefined)
      return reply(400, buildFailure(call.id, -32000, 'Initialize first'))
    if (sessionId !== session) return reply(404, buildFailure(call.id, -32001, 'No such session'))
  }
  if (call.id === undefined) return reply(202, '')
  if (agent.requiresCredentialToCall && call.method === 'tools/call') {
    return answerStatus(401, { 'www-authenticate': `Bearer realm="${agent.host}"` })
  }
  const headers: Record<string, string> =
    agent.session && opens ? { 'mcp-session-id': session } : {}
  return deliver(agent, buildResult(agent, call, protocolName), headers)
}

function parseCall(body: string): Call | undefined {
  try {
    const call: unknown = JSON.parse(body)
    return call !== null && typeof call === 'object' && !Array.isArray(call) ? call : undefined
  } catch {
    return undefined
  }
}

function buildResult(agent: Agent, call: Call, protocolName: string): Doc {
  const { id, params = {} } = call
  switch (call.method) {
    case 'initialize':
      return buildSuccess(id, {
        protocolVersion:
          versions.find(version => version === params.protocolVersion) ?? versions[0],
        capabilities: { tools: {} },
        serverInfo: { name: agent.company, version: '1.0.0' },
      })
    case 'ping':
      return buildSuccess(id, {})
    case 'tools/list':
      return buildSuccess(id, listTools(agent, params.cursor, protocolName))
    case 'tools/call':
      return buildSuccess(
        id,
        buildContent(agent, runTask(agent, String(params.name), protocolName)),
      )
    default:
      return buildFailure(id, -32601, 'No such method')
  }
}

function listTools(agent: Agent, cursor: unknown, protocolName: string): Doc {
  const sound = buildTools(agent, protocolName).map(tool => ({
    ...tool,
    inputSchema: { type: 'object', properties: {} },
  }))
  const all = agent.listsInvalidTools
    ? [null, 'a tool', { name: 7 }, ...sound, { title: 'Nameless' }]
    : sound
  const from = typeof cursor === 'string' ? Number(cursor) : 0
  const next = from + agent.pageSize
  const tools = all.slice(from, next)
  return next < all.length ? { tools, nextCursor: String(next) } : { tools }
}

function buildContent(agent: Agent, result: TaskResult): Doc {
  const payload = result.ok ? result.payload : { code: result.code, message: result.message }
  const text = { type: 'text', text: JSON.stringify(payload) }
  if (!result.ok) return { content: [text], isError: true }
  return agent.structured ? { content: [text], structuredContent: payload } : { content: [text] }
}

function deliver(agent: Agent, message: Doc, headers: Record<string, string>): Answer {
  if (agent.reply === 'json') return reply(200, message, headers)
  const type = { 'content-type': 'text/event-stream' }
  if (!agent.keepsStreamsOpen)
    return reply(200, formatEventStream(message), { ...headers, ...type })
  const body = Buffer.from(`${formatEventStream(message)}: still here\n\n`)
  return { kind: 'left_open', status: 200, headers: { ...headers, ...type }, body }
}

/**
 * Formats an event stream with everything a client must cope with: a comment, a notification first,
 * and the reply spread over several data lines.
 */
function formatEventStream(message: Doc): string {
  const note = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: '' },
  }
  const lines = JSON.stringify(message, null, 1).split('\n')
  const data = lines.map(line => `data: ${line}\n`).join('')
  return `: open\n\nevent: message\ndata: ${JSON.stringify(note)}\n\nevent: message\nid: 1\n${data}\n`
}

function buildSuccess(id: unknown, result: Doc): Doc {
  return { jsonrpc: '2.0', id, result }
}

function buildFailure(id: unknown, code: number, message: string): Doc {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } }
}

/** Builds the A2A card of an agent. */
export function buildAgentCard(agent: Agent, protocolName: string): Doc {
  return {
    name: agent.company,
    description: `The ${agent.type} agent of ${agent.company}`,
    url: toUrl(agent).replace(/\/(mcp|a2a)$/, '/a2a'),
    version: '1.0.0',
    protocolVersion: '0.3.0',
    capabilities: { streaming: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: buildTools(agent, protocolName).map(({ name, description }) => ({
      id: name,
      name,
      description,
      tags: [agent.type],
    })),
  }
}
