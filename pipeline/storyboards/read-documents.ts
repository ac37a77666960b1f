import { parseUrl } from '../core/url.ts'
import type { AgentAnswer, AgentSession } from './agent-session.ts'
import type { RunState } from './run-state.ts'

/** Finds the address of a document that a step reads; undefined where the agent named none. */
export function findDocumentUrl(
  task: string,
  { agentUrl, documents }: RunState,
): string | undefined {
  const { origin, pathname } = new URL(agentUrl)
  // RFC 9728 section 3.1: the path of the resource follows the well-known one.
  if (task === 'protected_resource_metadata') {
    return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`
  }
  const metadata = documents.get('protected_resource_metadata') as
    | { authorization_servers?: unknown }
    | undefined
  const issuers = metadata?.authorization_servers
  const issuer: unknown = Array.isArray(issuers) ? issuers[0] : undefined
  const server = typeof issuer === 'string' ? parseUrl(issuer) : undefined
  if (server === undefined) return undefined
  const { origin: host, pathname: place } = server
  // RFC 8414 section 3.1, where the path of the issuer follows as well.
  return `${host}/.well-known/oauth-authorization-server${place.replace(/\/$/, '')}`
}

/** Reads a document for a step, and keeps it for later ones; undefined where there is none to read. */
export async function readDocument(
  task: string,
  state: RunState,
  session: AgentSession,
): Promise<AgentAnswer | undefined> {
  const url = findDocumentUrl(task, state)
  if (url === undefined) return undefined
  const answer = await session.readDocument(url)
  if (answer.kind === 'answered') state.documents.set(task, answer.outcome.payload)
  // An agent without this document says that it has no such credentials.
  const isAbsent = answer.kind === 'answered' && answer.http?.status === 404
  return task === 'protected_resource_metadata' && isAbsent ? undefined : answer
}
