import { clip } from '../../parse/clip.ts'
import { isObject } from '../../parse/object-reader.ts'
import { listEndpoints } from './endpoints.ts'
import { isNoAgent, type McpFailure } from './failure.ts'
import { type McpDeps, McpSession, type TimeBudget } from './session.ts'
import { listTools, type ToolList } from './tools.ts'

export interface Connection {
  session: McpSession
  /** Name of the server, if it gives one. */
  serverName?: string
  /** It says of itself that it has resources. */
  hasResources: boolean
  list: ToolList
}

/**
 * Finds the place where an agent listens and asks for its tools. Each place is asked politely first
 * and, when it does not care for being greeted, at once. When none of them is one, the answer is what
 * the first place said of which that is not sure, so that an agent is missing only where every place
 * says so; a place that speaks for the whole agent ends the search.
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
  return { failure: first! }
}

/** A credential that is wanted at any place is the answer. */
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

/** A server without sessions may refuse the greeting, or not know it, and answer everything else. */
function mayBeStateless({ failure, error }: { failure: McpFailure; error?: object }): boolean {
  if (failure.outcome === 'needs_auth' || failure.outcome === 'throttled') return false
  if (error !== undefined) return true
  return [202, 204, 400, 405, 406, 415, 422, 501].includes(failure.status ?? 0)
}
