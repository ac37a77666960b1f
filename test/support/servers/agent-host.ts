import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Limits, limits } from '../../../pipeline/core/limits.ts'
import { probeAgent } from '../../../pipeline/crawl/agent-probe.ts'
import type { Fetcher } from '../../../pipeline/fetch/http.ts'
import type { AgentDocument } from '../../../pipeline/model/documents/index.ts'
import type { CrawlTarget, Observation } from '../../../pipeline/model/observation.ts'
import { generousTimeouts } from '../registry/generous-limits.ts'
import { testClock } from '../worlds/clock.ts'
import { createFetcherTo, now, startOrigin } from '../worlds/fetching.ts'
import type { Origin } from './origin.ts'

export interface AgentRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** The call in the body, if it is one. */
  call: { id?: number; method?: string; params?: Record<string, unknown> }
}

/** Answers a request to the host of an agent; a path without an answer is a 404. */
export type AgentAnswer = (ask: AgentRequest, response: ServerResponse) => unknown

export const agentUrl = 'https://agent.example/mcp'
export const clock = testClock(now)

/** Serves JSON-RPC; whatever `answer` returns is sent as JSON. */
export function serveAgentHost(answer: AgentAnswer): Promise<Origin> {
  return startOrigin(async (request, response, path) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const call = body === '' ? {} : JSON.parse(body)
    const { method = 'GET', headers } = request
    const said = answer({ method, path, headers, call }, response)
    if (said === noAnswer) return
    if (said === undefined || response.headersSent || response.writableEnded) {
      if (said === undefined && !response.headersSent) response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(said))
  })
}

/** Says nothing more by itself: whoever asked is answered by hand, or never. */
export const noAnswer = Symbol('silence')

export interface AgentScript {
  /** Results of the tasks, by name. */
  tasks?: Record<string, object>
  tools?: unknown[]
  /** Instead of what a well-behaved agent answers to a method. */
  methods?: Record<string, (ask: AgentRequest, response: ServerResponse) => unknown>
}

const toolNamed = (name: string) => ({ name, inputSchema: { type: 'object' } })

/** Builds an agent at /mcp that works, except for the tasks, tools and methods given here. */
export function buildScriptedAgent({ tasks = {}, tools, methods = {} }: AgentScript): AgentAnswer {
  return (ask, response) => {
    const { id, method = '', params = {} } = ask.call
    if (ask.method !== 'POST' || ask.path !== '/mcp') return undefined
    const own = methods[method]?.(ask, response)
    if (own === noAnswer) return noAnswer
    if (own !== undefined) return own
    if (response.headersSent) return null
    const result = (value: object) => ({ jsonrpc: '2.0', id, result: value })
    switch (method) {
      case 'initialize':
        return result({ protocolVersion: '2025-06-18', serverInfo: { name: 'Trained Agent' } })
      case 'notifications/initialized':
        return response.writeHead(202).end()
      case 'tools/list':
        return result({ tools: tools ?? Object.keys(tasks).map(toolNamed) })
      case 'tools/call':
        return result(tasks[String(params.name)] ?? { isError: true, content: [] })
      default:
        return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } }
    }
  }
}

export interface ProbeOptions {
  location?: string
  limits?: Partial<Limits>
  protocolName?: string
  hash?: string
}

export async function probe(answer: AgentAnswer, more: ProbeOptions = {}): Promise<Observation> {
  return probeHost(await serveAgentHost(answer), more)
}

export function probeHost({ url }: { url: string }, more: ProbeOptions = {}): Promise<Observation> {
  return probeWith(createFetcherTo(url), more)
}

export function probeWith(fetcher: Fetcher, more: ProbeOptions = {}): Promise<Observation> {
  const target: CrawlTarget = {
    kind: 'agent',
    location: more.location ?? agentUrl,
    ...(more.hash !== undefined && { hash: more.hash }),
  }
  return probeAgent(target, {
    fetcher,
    clock,
    limits: { ...limits, ...generousTimeouts, ...more.limits },
    protocolName: more.protocolName ?? 'proto',
  })
}

export function readDocument(seen: Observation): AgentDocument {
  if (seen.document === undefined) throw new Error(`no document: ${JSON.stringify(seen)}`)
  return seen.document as AgentDocument
}

/** Sends an event stream in pieces and leaves it open. */
export function writeEventStream(response: ServerResponse, ...pieces: string[]): typeof noAnswer {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) response.write(piece)
  return noAnswer
}
