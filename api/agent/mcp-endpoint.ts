import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { anyOrigin } from '../operation/cross-origin.ts'
import { serveMcp } from '../operation/mcp-transport.ts'
import {
  type AgentCaller,
  type AgentServices,
  callTask,
  type TaskAnswer,
  toAgentCaller,
} from './call-task.ts'
import { listTaskNames } from './protocol-names.ts'
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
    app.post(path, (request, reply) =>
      serveMcp(request, reply, buildServer(tenant, services, toAgentCaller(request)), {
        preferred: 'text/event-stream',
      }),
    )
    app.route({
      method: ['GET', 'DELETE'],
      url: path,
      handler: (_request, reply) =>
        reply.code(405).header('allow', 'POST, OPTIONS').headers(anyOrigin).send(NOT_ALLOWED),
    })
  }
}

/** Accepts any call: the task itself validates its arguments, in words that its callers understand. */
const AnyCall = z.looseObject({ method: z.literal('tools/call') })

function buildServer(tenant: Tenant, services: AgentServices, calledBy: AgentCaller): Server {
  const { protocolName } = services
  const server = new Server(
    { name: tenant.name, title: tenant.title, version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: tenant.description },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tenant.tasks.flatMap(task => {
      const described = {
        title: task.title,
        description: task.description,
        inputSchema: z.toJSONSchema(task.input, { io: 'input' }) as { type: 'object' },
        annotations: { readOnlyHint: !task.mutates, idempotentHint: true },
      }
      return listTaskNames(task, protocolName).map(name => ({ name, ...described }))
    }),
  }))
  server.setRequestHandler(AnyCall, async request => {
    const { name, arguments: forwarded = {} } = CallToolRequestSchema.parse(request).params
    return toResult(await callTask(tenant, name, forwarded, services, calledBy))
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
