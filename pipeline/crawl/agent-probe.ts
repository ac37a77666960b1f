import type { Clock } from '../core/clock.ts'
import type { Fetcher } from '../fetch/http.ts'
import { agentDocumentOf } from '../model/agent-tasks.ts'
import type { AgentDocument, AgentParts } from '../model/documents.ts'
import type { CrawlTarget, Observation } from '../model/observation.ts'
import { readCard } from './agent-card.ts'
import { askTasks } from './agent-tasks.ts'
import { contentHash } from './crawl-source.ts'
import { Faults } from './faults.ts'
import { type Connection, connectMcp } from './mcp/connect.ts'
import type { McpDeps } from './mcp/session.ts'
import { saysNobody, type Trouble } from './mcp/trouble.ts'

export interface ProbeDeps extends McpDeps {
  fetcher: Pick<Fetcher, 'call' | 'fetchDocument'>
  clock: Clock
}

/**
 * Asks a live agent what it is: its tools, its capabilities, its formats, its card. Always an
 * observation, whatever the agent does. The document is the same as long as the agent says the same,
 * however long it takes.
 */
export async function probeAgent(target: CrawlTarget, deps: ProbeDeps): Promise<Observation> {
  const time = { leftMs: deps.limits.probeMs }
  const found = await connectMcp(target.location, time, deps)
  const seen: Observation = {
    kind: target.kind,
    location: target.location,
    observed_at: deps.clock.now(),
    outcome: 'ok',
    took_ms: Math.round(deps.limits.probeMs - time.leftMs),
  }
  if ('trouble' in found) {
    const card = saysNobody(found.trouble) ? await readCardOnly(target.location, deps) : undefined
    return card === undefined ? failed(seen, found.trouble) : read(seen, target, card)
  }
  const faults = found.list.faults
  return read(seen, target, { parts: await partsOf(target.location, found, deps), faults })
}

interface Found {
  parts: AgentParts
  faults: Faults
}

async function partsOf(
  address: string,
  { session, serverName, list }: Connection,
  deps: ProbeDeps,
): Promise<AgentParts> {
  const { tools, faults } = list
  const time = { leftMs: deps.limits.probeMs }
  const tasks = await askTasks(tools, { session, time, deps, faults })
  const card = await readCard(address, deps)
  if (isFault(card)) faults.warn('card', 'refused_answer', card.fault)
  const isCard = typeof card === 'object' && 'card' in card
  return {
    endpoint: session.endpoint,
    ...(serverName !== undefined && { server_name: serverName }),
    tools,
    ...tasks,
    ...(isCard && { card: card.card }),
    unread: card === 'failed' ? [...tasks.unread, 'card'] : tasks.unread,
  }
}

/**
 * An agent may speak the second transport alone. Its card is a file that is there also while the agent
 * is down, so it counts alone only where nobody speaks the first one.
 */
async function readCardOnly(address: string, deps: ProbeDeps): Promise<Found | undefined> {
  const card = await readCard(address, deps)
  if (typeof card !== 'object' || !('card' in card)) return undefined
  const parts = { tools: card.tools, card: card.card, needs_auth: false, unread: [] }
  return { parts, faults: new Faults(deps.limits.faultsPerDocument) }
}

function isFault(card: Awaited<ReturnType<typeof readCard>>): card is { fault: string } {
  return typeof card === 'object' && 'fault' in card
}

function failed(seen: Observation, trouble: Trouble): Observation {
  const { outcome, detail, status, retry_after_s } = trouble
  return {
    ...seen,
    outcome,
    ...(status !== undefined && { status }),
    ...(retry_after_s !== undefined && { retry_after_s }),
    faults: [{ field: 'root', code: 'no_answer', message: detail, severity: 'error' }],
  }
}

/** Equal documents with equal faults have the same hash, so a night without changes writes nothing. */
function read(seen: Observation, target: CrawlTarget, { parts, faults }: Found): Observation {
  const document: AgentDocument = agentDocumentOf(parts)
  const list = faults.list()
  const body = Buffer.from(JSON.stringify([document, list]))
  const hash = contentHash(body)
  const answered = { ...seen, status: 200, hash, bytes: body.byteLength }
  if (hash === target.hash) return { ...answered, outcome: 'unchanged' }
  return { ...answered, document, faults: list }
}
