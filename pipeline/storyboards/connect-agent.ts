import { waitUnless } from '../crawl/deadline.ts'
import { connectMcp } from '../crawl/mcp/connect.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { listSecrets } from '../model/agent-credential.ts'
import {
  AgentSession,
  type AgentTarget,
  type Connected,
  type SessionDeps,
} from './agent-session.ts'
import { CountedRequests } from './counted-requests.ts'

/** Connects to an agent, and begins a conversation with it. */
export async function openAgentSession(
  target: AgentTarget,
  deps: SessionDeps,
): Promise<AgentSession | { failure: McpFailure }> {
  const connected = await connectAgent(target, deps)
  return 'failure' in connected ? connected : openSession(connected, deps)
}

/** Begins a conversation, which ends with `signal`, and when the time of a storyboard is over. */
export function openSession(connected: Connected, deps: SessionDeps): AgentSession {
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(deps.limits.storyboardMs)])
  return new AgentSession(connected, deps, signal)
}

/** Connects to an agent. All of what is said over the connection ends with `signal`. */
export async function connectAgent(
  { url, authorization, secrets: more = [], isOperators }: AgentTarget,
  deps: SessionDeps,
): Promise<Connected | { failure: McpFailure }> {
  const { limits, protocolName, signal } = deps
  const { protocol, hostname } = new URL(url)
  const fetcher = isOperators ? deps.fetcher.for({ kind: 'operator' }) : deps.fetcher
  const requests = new CountedRequests(fetcher, limits.storyboardCalls)
  const mcpDeps = {
    fetcher: requests,
    limits,
    protocolName,
    signal,
    ...(authorization !== undefined && { headers: { authorization } }),
    ...(isOperators && {
      allow: { http: protocol === 'http:', anyPort: true, privateHost: hostname },
    }),
  }
  const time = { remainingMs: limits.storyboardStepMs }
  const timedOut = { failure: { outcome: 'timeout' as const, detail: 'did not answer in time' } }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.storyboardMs)])
  const connected = await waitUnless(deadline, connectMcp(url, time, mcpDeps), timedOut)
  if ('failure' in connected) return connected
  const { session, serverName, list } = connected
  const secrets = authorization === undefined ? [] : [...listSecrets(authorization), ...more]
  const tools = list.tools.map(tool => tool.name)
  const name = serverName ?? hostname
  return { session, requests, secrets, tools, name, authorization, mcpDeps }
}
