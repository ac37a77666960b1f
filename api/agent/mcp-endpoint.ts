import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { anyOrigin } from '../operation/cross-origin.ts'
import { type AgentServices, callTask, type TaskAnswer } from './call-task.ts'
import { type Tenant, tenants } from './tenants.ts'

const NOT_ALLOWED = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: -32_000,
    message: 'Post JSON-RPC messages here; sessions and streams are not supported',
  },
}

/**
 * Serves each tenant at `/<tenant>/mcp` by Streamable HTTP without sessions: a lone `tools/call` is
 * answered, as an event stream or as JSON, whichever the caller accepts.
 */
export function addMcpEndpoints(app: FastifyInstance, services: AgentServices): void {
  for (const tenant of tenants) {
    const path = `/${tenant.name}/mcp`
    app.post(path, (request, reply) => answer(request, reply, tenant, services))
    app.route({
      method: ['GET', 'DELETE'],
      url: path,
      handler: (_request, reply) =>
        reply.code(405).header('allow', 'POST, OPTIONS').headers(anyOrigin).send(NOT_ALLOWED),
    })
  }
}

async function answer(
  request: FastifyRequest,
  reply: {
    code(status: number): typeof reply
    headers(all: object): typeof reply
    send(body: unknown): unknown
  },
  tenant: Tenant,
  services: AgentServices,
): Promise<unknown> {
  const wantsStream = (request.headers.accept ?? '').includes('text/event-stream')
  const server = buildServer(tenant, services, request.signedBy)
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsStream,
  })
  await server.connect(transport)
  try {
    const answered = await transport.handleRequest(toWebRequest(request, services), {
      parsedBody: request.body,
    })
    return reply
      .code(answered.status)
      .headers({
        ...Object.fromEntries(answered.headers),
        ...anyOrigin,
        'cache-control': 'no-store',
      })
      .send(Buffer.from(await answered.arrayBuffer()))
  } finally {
    await server.close()
  }
}

/** Converts a request to what the transport expects: it insists on both media types, which callers need not send. */
function toWebRequest({ url, headers }: FastifyRequest, { origin }: AgentServices): Request {
  const forwarded = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'accept' ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request(`${origin()}${url}`, {
    method: 'POST',
    headers: [...forwarded, ['accept', 'application/json, text/event-stream']],
  })
}

/** Accepts any call: the task itself validates its arguments, in words that its callers understand. */
const AnyCall = z.looseObject({ method: z.literal('tools/call') })

function buildServer(tenant: Tenant, services: AgentServices, caller?: string): Server {
  const { protocolName } = services
  const server = new Server(
    { name: tenant.name, title: tenant.title, version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: tenant.description },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tenant.tasks.map(task => ({
      name: task.name(protocolName),
      title: task.title,
      description: task.description,
      inputSchema: z.toJSONSchema(task.input, { io: 'input' }) as { type: 'object' },
      annotations: { readOnlyHint: !task.mutates, idempotentHint: true },
    })),
  }))
  server.setRequestHandler(AnyCall, async request => {
    const { name, arguments: forwarded = {} } = CallToolRequestSchema.parse(request).params
    return toResult(await callTask(tenant, name, forwarded, services, caller))
  })
  return server
}

/** Converts an answer to a tool result; its text and its structured content say the same. */
function toResult({ payload, isError }: TaskAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(payload) }],
    structuredContent: payload,
    ...(isError && { isError }),
  }
}
