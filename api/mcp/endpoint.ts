import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { buildRefusal, publicErrors, refuse } from '../../pipeline/core/errors.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { describeChoices } from '../../pipeline/core/validation-messages.ts'
import { isReadingKey } from '../auth/organization-access.ts'
import { authenticate, type Principal } from '../auth/principal.ts'
import { anyOrigin, buildExposedHeaders } from '../operation/cross-origin.ts'
import { serveMcp } from '../operation/mcp-transport.ts'
import type { Operation } from '../operation/operation.ts'
import { REQUEST_ID } from '../operation/request-ids.ts'
import type { Services } from '../operation/services.ts'
import { findUnknown } from '../operation/unknown-parameters.ts'
import { findResourcePath, listResources, listResourceTemplates } from './resources.ts'
import {
  buildRequest,
  buildTools,
  nameArguments,
  type RegistryTool,
  type ToolForm,
} from './tools.ts'
import { isInToolsets, listUnknownToolsets, toolsetNames } from './toolsets.ts'

export const MCP_PATH = '/mcp'

const INSTRUCTIONS =
  'Tells which brand a domain belongs to, what a publisher owns, which agents it authorizes, and whether an ' +
  'agent is alive. Tools only read, except those in the toolset write, which save, watch or request a crawl. Most ' +
  'need no credential; those whose description requires one need Authorization: Bearer sk_…. Only the core tools are ' +
  `listed by default; more are listed at /mcp?toolset= with one or more of ${toolsetNames.join(', ')}. ` +
  'Tools that are not listed can be called too. Brands, publishers and agents are resources as well.'

/**
 * Adds the registry as an MCP server: Streamable HTTP without sessions, a JSON answer to each POST of a
 * client that accepts JSON. A tool
 * call goes through the route of its operation, so that checks, limits, credentials and metrics are those of
 * HTTP. Callers without a credential see the tools that they may call. The list contains the core tools, or
 * those of the toolsets in the address (`?toolset=core,search`).
 */
export function addMcp(
  app: FastifyInstance,
  operations: readonly Operation[],
  services: Services,
): void {
  // Built on the first use: an API without MCP clients starts without them.
  const built: Partial<Record<ToolForm, ReturnType<typeof buildTools>>> = {}
  const options = {
    config: { operation: 'mcp' },
    errorHandler: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (error.code !== 'FST_ERR_CTP_INVALID_JSON_BODY') throw error
      services.metrics.findMeter('mcp').count(publicErrors.invalid_request.status)
      sendUnreadable(request, reply)
    },
  }
  app.post(MCP_PATH, options, async (request, reply) => {
    const { authorization } = request.headers
    const isKnown = authorization !== undefined
    const principal = isKnown ? await authenticate(services, authorization) : undefined
    const sets = readToolsets(request)
    const form = sets.every(set => set === 'core') ? 'brief' : 'complete'
    built[form] ??= buildTools(operations, form)
    const tools = built[form]
    if (!isKnown && canSignIn(services)) requireSignIn(tools, request.body)
    const shown = [...tools.values()].filter(
      tool => isInToolsets(tool, sets) && isOfferedTo(tool.operation, principal),
    )
    const server = buildServer({ tools, shown }, (tool, input) =>
      callTool(app, request, tool, input),
    )
    addResources(server, services.baseUrl(), path => readResource(app, request, path))
    const headers = buildExposedHeaders(request)
    return serveMcp(request, reply, server, { preferred: 'application/json', headers })
  })
}

/** Tells whether a caller may call the tool of an operation: some need a credential that writes, or that is a person’s. */
function isOfferedTo(
  { access, writes, isForPeople }: Operation,
  principal: Principal | undefined,
): boolean {
  if (access !== 'bearer') return true
  if (principal === undefined || (isForPeople && principal.kind !== 'user')) return false
  return !writes || !isReadingKey(principal)
}

/** Answers a body that is not JSON, as JSON-RPC does. */
function sendUnreadable(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .code(publicErrors.invalid_request.status)
    .headers({ 'cache-control': 'no-store', ...anyOrigin, ...buildExposedHeaders(request) })
    .send({
      jsonrpc: '2.0',
      error: { code: ErrorCode.ParseError, message: 'the body is not JSON' },
      id: null,
    })
}

function canSignIn({ isAuthorizationServer, config }: Services): boolean {
  return isAuthorizationServer || config.AUTH_ISSUER !== undefined
}

/**
 * Refuses the call of a tool that needs a credential with a 401. From it a client learns where its user can
 * sign in, and then repeats the call.
 */
function requireSignIn(tools: ReadonlyMap<string, RegistryTool>, body: unknown): void {
  const call = AnyCall.safeParse(body).data as { params?: { name?: string } } | undefined
  const tool = tools.get(call?.params?.name ?? '')
  if (tool?.operation.access === 'bearer') {
    refuse(
      'unauthenticated',
      `${tool.name} needs a credential: send Authorization: Bearer sk_…, or sign in`,
    )
  }
}

/**
 * Accepts any tool call. The call is validated later, so that an invalid one is reported as a fault of the
 * caller; a strict schema here would make it an internal error.
 */
const AnyCall = z.looseObject({ method: z.literal('tools/call') })

type ToolCall = (tool: RegistryTool, input: Record<string, unknown>) => Promise<CallToolResult>

/** The tools that a caller is offered. */
interface Offer {
  /** All tools that can be called, by name. */
  tools: ReadonlyMap<string, RegistryTool>
  /** Tools in the list. */
  shown: readonly RegistryTool[]
}

const parameters: ReadonlySet<string> = new Set(['toolset'])

/** Reads the toolsets that the address names. */
function readToolsets({ query }: FastifyRequest): string[] {
  const unknown = findUnknown(query as object, parameters)
  if (unknown !== undefined) throw unknown
  const { toolset = 'core' } = query as { toolset?: string | string[] }
  const sets = [toolset].flat().flatMap(text => text.split(','))
  if (listUnknownToolsets(sets).length > 0) {
    refuse('invalid_request', `toolset: ${describeChoices(toolsetNames)}`)
  }
  return sets
}

/** Builds a server for one request: the tools that the caller may see, and how to call them. */
function buildServer({ tools, shown }: Offer, call: ToolCall): Server {
  const server = new Server(
    { name: 'agentic-ad-registry', title: 'Agentic Ad Registry', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: shown.map(({ name, inputSchema, outputSchema, operation }) => ({
      name,
      description: describeTool(operation),
      inputSchema,
      outputSchema,
      annotations: operation.writes
        ? { readOnlyHint: false, destructiveHint: false }
        : { readOnlyHint: true },
    })),
  }))
  server.setRequestHandler(AnyCall, request => {
    const { name, arguments: input = {} } = CallToolRequestSchema.parse(request).params
    const tool = tools.get(name)
    if (tool) return call(tool, input)
    const nearest = findNearestWord(name, tools.keys())
    const hint = nearest === undefined ? '' : `. Did you mean ${nearest}?`
    throw new McpFailure(ErrorCode.InvalidParams, `there is no tool "${name}"${hint}`)
  })
  return server
}

/** Has a server offer brands, publishers and agents by their addresses. */
function addResources(
  server: Server,
  origin: string,
  read: (path: string) => Promise<ResourceText | undefined>,
): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: listResources(origin) }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: listResourceTemplates(origin),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const path = findResourcePath(origin, uri)
    const found = path === undefined ? undefined : await read(path)
    if (found === undefined)
      throw new McpFailure(NOT_FOUND, `there is no resource "${uri}"`, { uri })
    return { contents: [{ uri, ...found }] }
  })
}

/** A failure by its code. The library's own error writes the code into its message, as clients do once more. */
class McpFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Code of the protocol for a resource that is not there. */
const NOT_FOUND = -32_002

interface ResourceText {
  mimeType: string
  text: string
}

/** Reads a resource by the route of its operation; undefined where the route knows no such thing. */
async function readResource(
  app: FastifyInstance,
  { ip, id }: FastifyRequest,
  url: string,
): Promise<ResourceText | undefined> {
  const answer = await app.inject({ url, remoteAddress: ip, headers: { [REQUEST_ID]: id } })
  if (answer.statusCode === 400 || answer.statusCode === 404) return undefined
  if (answer.statusCode >= 400)
    throw new McpFailure(ErrorCode.InternalError, JSON.parse(answer.body).error)
  const mimeType = String(answer.headers['content-type']).replace(/;.*/, '')
  return { mimeType, text: answer.body }
}

function describeTool({ access, isForPeople, summary, description }: Operation): string {
  const credential = isForPeople ? 'access token' : 'credential'
  const needs = access === 'bearer' ? `Requires a ${credential} (Bearer)` : undefined
  return [summary, needs, description].filter(Boolean).join('. ')
}

/** Calls a tool. A refusal is a result too, so that a model can read what is wrong and correct it. */
async function callTool(
  app: FastifyInstance,
  { headers: { authorization }, ip, id }: FastifyRequest,
  tool: RegistryTool,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const built = buildRequest(tool, input)
  if (typeof built === 'string') {
    const { body } = buildRefusal('invalid_request', built, {})
    return toFailedResult(JSON.stringify(body))
  }
  const answer = await app.inject({
    ...built,
    remoteAddress: ip,
    headers: { [REQUEST_ID]: id, ...(authorization !== undefined && { authorization }) },
  })
  if (answer.statusCode >= 400) return toFailedResult(nameArguments(answer.body))
  // Some clients read only the text, whatever version of the protocol they speak.
  return { content: [{ type: 'text', text: answer.body }], structuredContent: answer.json() }
}

function toFailedResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
