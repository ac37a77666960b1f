import { pickDecisive } from '../../core/outcomes.ts'
import { requireValue } from '../../core/present.ts'
import { clip } from '../../parse/clip.ts'
import { isObject } from '../../parse/object-reader.ts'
import type { Channel } from './channel.ts'
import { listEndpoints, listStreams } from './endpoints.ts'
import { isNotSpoken, isOfHost, type McpFailure } from './failure.ts'
import { HttpSse } from './http-sse.ts'
import { listTools, type ToolList } from './lists.ts'
import { type McpDeps, McpSession, type TimeBudget } from './session.ts'
import { StreamableHttp } from './streamable-http.ts'

export interface Connection {
  session: McpSession
  /** Name of the server, if it gives one. */
  serverName?: string
  /** True if it declares that it has resources. */
  hasResources: boolean
  list: ToolList
}

/** Result of trying all addresses of an agent without success. */
export interface NotConnected {
  /** Stands for the failures of all of them. */
  failure: McpFailure
  /** True if each of them says that MCP is not spoken there. */
  isNotSpoken: boolean
}

/** Finds the endpoint of an agent and lists its tools. */
export function connectMcp(
  address: string,
  time: TimeBudget,
  deps: McpDeps,
): Promise<Connection | NotConnected> {
  return tryEndpoints(address, deps, session => connectAt(session, time, deps))
}

/** A failed attempt at one address. */
interface Failed {
  failure: McpFailure
  /** True if the server speaks MCP there all the same. */
  isAlive?: boolean
}

/**
 * Tries the addresses of an agent, whatever the first ones answer, until one succeeds: over Streamable HTTP,
 * and if that is not spoken, over HTTP+SSE. Only a host that does not answer at all is not tried further.
 */
export async function tryEndpoints<Found extends object>(
  address: string,
  deps: McpDeps,
  attempt: (session: McpSession) => Promise<Found | Failed>,
): Promise<Found | NotConnected> {
  const failed: Failed[] = []
  for (const open of listChannels(address, deps)) {
    const channel = open(failed)
    if (channel === undefined) continue
    const tried = await attempt(new McpSession(channel, deps))
    if (!('failure' in tried)) return tried
    channel.close()
    failed.push(tried)
    if (isOfHost(tried.failure)) break
  }
  const [first, ...others] = failed.map(({ failure }) => failure)
  return {
    failure: pickDecisive(requireValue(first, 'address to connect to'), ...others),
    isNotSpoken: failed.every(isDead),
  }
}

function isDead({ failure, isAlive = false }: Failed): boolean {
  return !isAlive && isNotSpoken(failure)
}

type OpenChannel = (failed: readonly Failed[]) => Channel | undefined

/** Lists the channels to try: one of the older transport only if the newer one is not spoken. */
function listChannels(address: string, deps: McpDeps): OpenChannel[] {
  const newer = listEndpoints(address).map(endpoint => () => new StreamableHttp(endpoint, deps))
  const older = listStreams(address).map((endpoint): OpenChannel => {
    return failed => (failed.every(isDead) ? new HttpSse(endpoint, deps) : undefined)
  })
  return [...newer, ...older]
}

/**
 * Connects to one endpoint: a handshake comes first, and where the server may be stateless the list is
 * requested without one.
 */
async function connectAt(
  session: McpSession,
  time: TimeBudget,
  deps: McpDeps,
): Promise<Connection | Failed> {
  const handshake = await session.initialize(time)
  if ('failure' in handshake && !mayBeStateless(handshake)) return { failure: handshake.failure }
  const list = await listTools(session, time, deps.limits)
  if ('failure' in list) {
    return 'failure' in handshake
      ? list
      : { failure: toFailureOfKnown(list.failure), isAlive: true }
  }
  const info = 'result' in handshake ? handshake.result.serverInfo : undefined
  const name = isObject(info) ? (clip(info.title, 200) ?? clip(info.name, 200)) : undefined
  const hasResources = 'result' in handshake && offersResources(handshake.result.capabilities)
  return { session, list, hasResources, ...(name !== undefined && { serverName: name }) }
}
/** Converts the failure to list the tools of an agent that answered the handshake, and so is there. */
function toFailureOfKnown(failure: McpFailure): McpFailure {
  return failure.outcome === 'absent' ? { ...failure, outcome: 'http_error' } : failure
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
