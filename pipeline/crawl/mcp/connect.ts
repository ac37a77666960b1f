import { requireValue } from '../../core/present.ts'
import { clip } from '../../parse/clip.ts'
import { isObject } from '../../parse/object-reader.ts'
import { listEndpoints } from './endpoints.ts'
import { isNoAgent, type McpFailure } from './failure.ts'
import { listTools, type ToolList } from './lists.ts'
import { type McpDeps, McpSession, type TimeBudget } from './session.ts'

export interface Connection {
  session: McpSession
  /** Name of the server, if it gives one. */
  serverName?: string
  /** True if it declares that it has resources. */
  hasResources: boolean
  list: ToolList
}

/**
 * Finds the endpoint of an agent and lists its tools. At each endpoint a handshake comes first, and
 * where the server may be stateless the list is requested without one. When no endpoint answers, the
 * result is the first failure after which an agent may still listen there: an agent is missing only
 * if every endpoint says so. A failure that concerns the whole agent ends the search.
 */
export async function connectMcp(
  address: string,
  time: TimeBudget,
  deps: McpDeps,
): Promise<Connection | { failure: McpFailure }> {
  let first: McpFailure | undefined
  for (const endpoint of listEndpoints(address)) {
    const connected = await connectAt(new McpSession(endpoint, deps), time, deps)
    if (!('failure' in connected)) return connected
    const { failure } = connected
    if (first === undefined || (isNoAgent(first) && !isNoAgent(failure))) first = failure
    if (!failure.isAboutUrl) return { failure: isFinal(failure) ? failure : first }
  }
  return { failure: requireValue(first, 'address to connect to') }
}

/**
 * Tells whether a failure that ends the search is also its result. A timeout is not: it says less than the
 * failure of an endpoint that answered.
 */
function isFinal({ outcome }: McpFailure): boolean {
  return outcome !== 'timeout'
}

async function connectAt(
  session: McpSession,
  time: TimeBudget,
  deps: McpDeps,
): Promise<Connection | { failure: McpFailure }> {
  const handshake = await session.initialize(time)
  if ('failure' in handshake && !mayBeStateless(handshake)) return { failure: handshake.failure }
  const list = await listTools(session, time, deps.limits)
  // An agent that answered the handshake is alive, whatever became of the list.
  if ('failure' in list) {
    return 'failure' in handshake ? list : { failure: { ...list.failure, isAboutUrl: false } }
  }
  const info = 'result' in handshake ? handshake.result.serverInfo : undefined
  const name = isObject(info) ? (clip(info.title, 200) ?? clip(info.name, 200)) : undefined
  const hasResources = 'result' in handshake && offersResources(handshake.result.capabilities)
  return { session, list, hasResources, ...(name !== undefined && { serverName: name }) }
}

function offersResources(capabilities: unknown): boolean {
  return isObject(capabilities) && isObject(capabilities.resources)
}

/**
 * Tells whether a server may be stateless: such a server may reject the handshake, or not know it, and still
 * answer every other request.
 */
function mayBeStateless({ failure, error }: { failure: McpFailure; error?: object }): boolean {
  if (failure.outcome === 'needs_auth' || failure.outcome === 'throttled') return false
  if (error !== undefined) return true
  return [202, 204, 400, 405, 406, 415, 422, 501].includes(failure.status ?? 0)
}
