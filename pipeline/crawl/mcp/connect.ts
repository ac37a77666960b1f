import { clip } from '../clip.ts'
import { isObject } from '../part.ts'
import { endpointsOf } from './endpoints.ts'
import { type McpDeps, McpSession, type TimeLeft } from './session.ts'
import { listTools, type ToolList } from './tools.ts'
import { saysNobody, type Trouble } from './trouble.ts'

export interface Connection {
  session: McpSession
  /** What the server calls itself, if it does. */
  serverName?: string
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
  time: TimeLeft,
  deps: McpDeps,
): Promise<Connection | { trouble: Trouble }> {
  let first: Trouble | undefined
  for (const endpoint of endpointsOf(address)) {
    const found = await connectAt(new McpSession(endpoint, deps), time, deps)
    if (!('trouble' in found)) return found
    const { trouble } = found
    if (first === undefined || (saysNobody(first) && !saysNobody(trouble))) first = trouble
    if (!trouble.isOfPlace) return { trouble: speaksForAll(trouble) ? trouble : first }
  }
  return { trouble: first! }
}

/** A credential that is wanted at any place is the answer. */
function speaksForAll({ outcome }: Trouble): boolean {
  return outcome !== 'timeout'
}

async function connectAt(
  session: McpSession,
  time: TimeLeft,
  deps: McpDeps,
): Promise<Connection | { trouble: Trouble }> {
  const greeting = await session.initialize(time)
  if ('trouble' in greeting && !mayBeStateless(greeting)) return { trouble: greeting.trouble }
  const list = await listTools(session, time, deps.limits)
  // Whoever answered the greeting is there, whatever became of the list.
  if ('trouble' in list) {
    return 'trouble' in greeting ? list : { trouble: { ...list.trouble, isOfPlace: false } }
  }
  const info = 'result' in greeting ? greeting.result.serverInfo : undefined
  const name = isObject(info) ? (clip(info.title, 200) ?? clip(info.name, 200)) : undefined
  return { session, list, ...(name !== undefined && { serverName: name }) }
}

/** A server without sessions may refuse the greeting, or not know it, and answer everything else. */
function mayBeStateless({ trouble, error }: { trouble: Trouble; error?: object }): boolean {
  if (trouble.outcome === 'needs_auth' || trouble.outcome === 'throttled') return false
  if (error !== undefined) return true
  return [202, 204, 400, 405, 406, 415, 422, 501].includes(trouble.status ?? 0)
}
