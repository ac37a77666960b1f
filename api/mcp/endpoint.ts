import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { authenticate } from '../auth.ts'
import { anyOrigin, exposing } from '../cross-origin.ts'
import type { Operation } from '../operation.ts'
import type { Services } from '../services.ts'
import { type RegistryTool, requestOf, toolsOf } from './tools.ts'

export const MCP_PATH = '/mcp'

const INSTRUCTIONS =
  'Answers which brand a domain is, what a publisher owns, which agents it authorized, and whether an ' +
  'agent is alive. Tools read the registry; they change nothing. Most need no credential.'

/**
 * The registry as an MCP server: Streamable HTTP without sessions, a JSON answer to each POST. A call
 * of a tool goes through the route of its operation, so that checks, limits, credentials and counting
 * are those of HTTP. Callers without a credential see the tools they may call.
 */
export function addMcp(
  app: FastifyInstance,
  operations: readonly Operation[],
  services: Services,
): void {
  const tools = toolsOf(operations)
  app.post(MCP_PATH, { config: { operation: 'mcp' } }, async (request, reply) => {
    const { authorization } = request.headers
    const isKnown = authorization !== undefined
    if (isKnown) await authenticate(services, authorization)
    const shown = [...tools].filter(([, { operation }]) => isKnown || operation.access !== 'bearer')
    const server = serverOf(new Map(shown), (tool, given) => callTool(app, request, tool, given))
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      const { body } = request
      const answer = await transport.handleRequest(webRequestOf(request), { parsedBody: body })
      return reply
        .code(answer.status)
        .headers({ ...Object.fromEntries(answer.headers), 'cache-control': 'no-store' })
        .headers({ ...anyOrigin, ...exposing(request) })
        .send(Buffer.from(await answer.arrayBuffer()))
    } finally {
      await server.close()
    }
  })
}

/**
 * A call as it comes. The server judges it before it gets here, and says what is wrong as a fault of the
 * caller; by a schema that is judged while it is taken in, that would be an internal error.
 */
const AnyCall = z.looseObject({ method: z.literal('tools/call') })

type Calling = (tool: RegistryTool, given: Record<string, unknown>) => Promise<CallToolResult>

/** A server for one request: what the caller may see, and how a call is carried out. */
function serverOf(tools: ReadonlyMap<string, RegistryTool>, call: Calling): Server {
  const server = new Server(
    { name: 'agentic-ad-registry', title: 'Agentic Ad Registry', version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, inputSchema, operation }) => ({
      name,
      title: operation.summary,
      description: [operation.summary, operation.description].filter(Boolean).join('. '),
      inputSchema,
      annotations: { readOnlyHint: true },
    })),
  }))
  server.setRequestHandler(AnyCall, request => {
    const { name, arguments: given = {} } = CallToolRequestSchema.parse(request).params
    const tool = tools.get(name)
    if (tool) return call(tool, given)
    throw new McpError(ErrorCode.InvalidParams, `there is no tool ${name}`)
  })
  return server
}

/** A refusal is a result too, so that a model reads what is wrong and can do better. */
async function callTool(
  app: FastifyInstance,
  { headers: { authorization }, ip }: FastifyRequest,
  tool: RegistryTool,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  const answer = await app.inject({
    ...requestOf(tool, given),
    remoteAddress: ip,
    headers: authorization === undefined ? {} : { authorization },
  })
  const content: CallToolResult['content'] = [{ type: 'text', text: answer.body }]
  return answer.statusCode < 400
    ? { content, structuredContent: answer.json() }
    : { content, isError: true }
}

function webRequestOf({ url, headers }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request(`http://registry${url}`, { method: 'POST', headers: given })
}
