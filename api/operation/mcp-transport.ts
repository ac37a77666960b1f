import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyOrigin } from './cross-origin.ts'

const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'
export type McpAnswerType = typeof JSON_TYPE | typeof STREAM_TYPE

/** Media range of an `Accept` header and its weight: `text/*;q=0.5`. */
const RANGE = /^\s*([\w!#$&^.+*-]+\/[\w!#$&^.+*-]+)\s*(?:;(.*))?$/
const WEIGHT = /^\s*q\s*=\s*([\d.]+)\s*$/i

/**
 * Chooses the media type of an answer by the `Accept` header (RFC 9110 section 12.5.1), in which wildcards
 * count, and without which everything is accepted. Where both types are accepted alike, an event stream is
 * only chosen for callers that name it. Undefined if neither is accepted.
 */
export function chooseAnswerType(
  accept: string | undefined,
  preferred: McpAnswerType,
): McpAnswerType | undefined {
  const ranges = parseRanges(accept ?? '')
  if (ranges.size === 0) return JSON_TYPE
  const [json, stream] = [findWeight(ranges, JSON_TYPE), findWeight(ranges, STREAM_TYPE)]
  if (json === 0 && stream === 0) return undefined
  if (json !== stream) return json > stream ? JSON_TYPE : STREAM_TYPE
  return ranges.has(STREAM_TYPE) ? preferred : JSON_TYPE
}

function parseRanges(accept: string): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const text of accept.split(',')) {
    const [, range, parameters = ''] = RANGE.exec(text) ?? []
    if (range === undefined) continue
    const weights = parameters.split(';').map(parameter => WEIGHT.exec(parameter)?.[1])
    const weight = Number(weights.find(found => found !== undefined) ?? 1)
    ranges.set(range.toLowerCase(), Number.isNaN(weight) ? 1 : weight)
  }
  return ranges
}

/** Finds the weight of a media type: that of the most specific range counts. */
function findWeight(ranges: ReadonlyMap<string, number>, type: McpAnswerType): number {
  const [kind] = type.split('/', 1)
  return ranges.get(type) ?? ranges.get(`${kind}/*`) ?? ranges.get('*/*') ?? 0
}

/**
 * Answers one POST of an MCP client by Streamable HTTP without sessions, as JSON or as an event stream that
 * ends with the answer.
 */
export async function serveMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  server: Server,
  {
    preferred,
    headers = {},
  }: { preferred: McpAnswerType; headers?: Readonly<Record<string, string>> },
): Promise<FastifyReply> {
  if (!mayHoldMessages(request.body)) {
    const error = { code: ErrorCode.InvalidRequest, message: 'the body holds no JSON-RPC message' }
    return reply
      .code(400)
      .headers({ 'cache-control': 'no-store', ...anyOrigin, ...headers })
      .send({ jsonrpc: '2.0', id: null, error })
  }
  const type = chooseAnswerType(request.headers.accept, preferred)
  const enableJsonResponse = type !== STREAM_TYPE
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse })
  await server.connect(transport)
  try {
    const { body } = request
    const answer = await transport.handleRequest(toWebRequest(request, type), { parsedBody: body })
    return reply
      .code(answer.status)
      .headers({ ...Object.fromEntries(answer.headers), 'cache-control': 'no-store' })
      .headers({ ...anyOrigin, ...headers })
      .send(Buffer.from(await answer.arrayBuffer()))
  } finally {
    await server.close()
  }
}

/** Tells whether a body is an object or a list of something: the transport answers 202 to an empty list. */
function mayHoldMessages(body: unknown): boolean {
  if (body === undefined) return true
  return typeof body === 'object' && body !== null && !(Array.isArray(body) && body.length === 0)
}

/** Converts a request. The transport insists that callers name both media types, which they need not. */
function toWebRequest({ url, headers }: FastifyRequest, type: McpAnswerType | undefined): Request {
  const forwarded = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'accept' ? [] : [[name, String(value)] as [string, string]],
  )
  const accept = type === undefined ? 'nothing/offered' : `${JSON_TYPE}, ${STREAM_TYPE}`
  return new Request(`http://localhost${url}`, {
    method: 'POST',
    headers: [...forwarded, ['accept', accept]],
  })
}
