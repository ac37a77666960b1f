import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { pickDecisive } from '../core/outcomes.ts'
import type { Fetcher } from '../fetch/http.ts'
import { buildAgentDocument } from '../model/agent-tasks.ts'
import type { AgentDocument, AgentParts } from '../model/documents/index.ts'
import type { CrawlTarget, Observation } from '../model/observation.ts'
import { Faults } from '../parse/faults.ts'
import { type CardFound, readCard } from './agent-card.ts'
import { callTasks } from './call-agent-tasks.ts'
import { hashContent } from './crawl-source.ts'
import { type Connection, connectMcp } from './mcp/connect.ts'
import type { McpFailure } from './mcp/failure.ts'
import { countResources } from './mcp/lists.ts'
import type { McpDeps } from './mcp/session.ts'

export interface ProbeDeps extends McpDeps {
  fetcher: Pick<Fetcher, 'call' | 'fetchDocument'>
  clock: Clock
}

/**
 * Probes a live agent: its tools, its capabilities, its formats, its card. Always returns an observation,
 * whatever the agent does. A card is a static file that can be served while the agent is down, so alone it
 * counts only if MCP is not spoken at any of the agent's addresses. Equal answers give an equal document: nothing in it depends on time.
 */
export async function probeAgent(target: CrawlTarget, deps: ProbeDeps): Promise<Observation> {
  const time = { remainingMs: deps.limits.probeMs }
  const connected = await connectMcp(target.location, time, deps)
  const observation: Observation = {
    kind: target.kind,
    location: target.location,
    observed_at: deps.clock.now(),
    outcome: 'ok',
    took_ms: Math.round(deps.limits.probeMs - time.remainingMs),
  }
  if ('failure' in connected) {
    const { failure } = connected
    if (!connected.isNotSpoken) return toFailedObservation(observation, failure)
    const card = await readCard(target.location, deps)
    return 'card' in card
      ? toObservation(observation, target, toCardOnly(card, deps.limits))
      : toFailedObservation(observation, pickDecisive<McpFailure>(failure, card))
  }
  const faults = connected.list.faults
  return toObservation(observation, target, {
    parts: await collectParts(target.location, connected, deps),
    faults,
  })
}

interface ProbeResult {
  parts: AgentParts
  faults: Faults
}

async function collectParts(
  address: string,
  { session, serverName, list, hasResources }: Connection,
  deps: ProbeDeps,
): Promise<AgentParts> {
  const { tools, faults } = list
  const time = { remainingMs: deps.limits.probeMs }
  const tasks = await callTasks(tools, { session, time, deps, faults })
  const resources = hasResources ? await countResources(session, time, deps.limits) : undefined
  const card = await readCard(address, deps)
  const isCard = 'card' in card
  const fault = isCard ? undefined : card.fault
  if (fault !== undefined) faults.warn('card', 'refused_answer', fault)
  const isOpen = !isCard && fault === undefined && card.outcome !== 'absent'
  return {
    endpoint: session.endpoint,
    ...(serverName !== undefined && { server_name: serverName }),
    tools,
    ...tasks,
    ...(resources !== undefined && { resources_count: resources }),
    ...(isCard && { card: card.card }),
    unread: [
      ...tasks.unread,
      ...(hasResources && resources === undefined ? ['resources_count' as const] : []),
      ...(isOpen ? ['card' as const] : []),
    ],
  }
}

/** Converts the card of an agent that supports A2A alone. */
function toCardOnly({ card, tools }: CardFound, limits: Limits): ProbeResult {
  const parts = { tools, card, needs_auth: false, unread: [] }
  return { parts, faults: new Faults(limits.faultsPerDocument) }
}

function toFailedObservation(observation: Observation, failure: McpFailure): Observation {
  const { outcome, detail, status, retry_after_s } = failure
  return {
    ...observation,
    outcome,
    ...(status !== undefined && { status }),
    ...(retry_after_s !== undefined && { retry_after_s }),
    faults: [{ field: 'root', code: 'no_answer', message: detail, severity: 'error' }],
  }
}

/**
 * Converts the answers to an observation with a document. The hash covers document and faults: if it is that
 * of the last probe, the outcome is `unchanged` and nothing is written.
 */
function toObservation(
  observation: Observation,
  target: CrawlTarget,
  { parts, faults }: ProbeResult,
): Observation {
  const document: AgentDocument = buildAgentDocument(parts)
  const list = faults.list()
  const body = Buffer.from(JSON.stringify([document, list]))
  const hash = hashContent(body)
  const answered = { ...observation, status: 200, hash, bytes: body.byteLength }
  if (hash === target.hash) return { ...answered, outcome: 'unchanged' }
  return { ...answered, document, faults: list }
}
