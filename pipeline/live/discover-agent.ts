import { pickDecisive } from '../core/outcomes.ts'
import { readCard } from '../crawl/agent-card.ts'
import type { ProbeDeps } from '../crawl/agent-probe.ts'
import { type Connection, connectMcp } from '../crawl/mcp/connect.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import type { AgentTool } from '../model/documents/index.ts'
import type { AgentFailed, AgentReport, DiscoveredAgent } from '../model/live/live-agent.ts'
import { Faults } from '../parse/faults.ts'
import { toAgentFailed } from './agent-failures.ts'
import { listFormats } from './agent-formats.ts'
import { listProducts } from './agent-inventory.ts'

/** Type of agent → names of tools that indicate it; the first type with such a tool counts. */
const toolPatterns = {
  sales: /get_product|media_buy|create_media/i,
  signals: /signal|audience/i,
  creative: /creative|format|preview/i,
} as const

/** Discovers what an agent is and offers, over MCP and by its A2A card. Fails if it has neither. */
export async function discover(
  address: string,
  time: { remainingMs: number },
  deps: ProbeDeps,
): Promise<AgentReport | AgentFailed> {
  const [connected, read] = await Promise.all([
    connectMcp(address, time, deps),
    readCard(address, deps),
  ])
  const card = 'card' in read ? read : undefined
  if ('failure' in connected && !('card' in read)) {
    return toAgentFailed(pickDecisive<McpFailure>(connected.failure, read))
  }
  const tools = 'failure' in connected ? (card?.tools ?? []) : connected.list.tools
  const type = inferType(tools)
  const name = 'serverName' in connected ? connected.serverName : undefined
  const discovered: DiscoveredAgent = {
    name: name ?? card?.card.name ?? new URL(address).hostname,
    ...(card?.card.description !== undefined && { description: card.card.description }),
    protocols: [
      ...('failure' in connected ? [] : (['mcp'] as const)),
      ...(card ? (['a2a'] as const) : []),
    ],
    type,
    tools_count: tools.length,
    tools: tools.map(({ name: tool, description }) => ({
      name: tool,
      ...(description !== undefined && { description: description.slice(0, 500) }),
    })),
    stats: 'failure' in connected ? {} : await countOffers(type, connected, time, deps),
  }
  return { discovered }
}

function inferType(tools: readonly AgentTool[]): DiscoveredAgent['type'] {
  for (const type of ['sales', 'signals', 'creative'] as const) {
    if (tools.some(({ name }) => toolPatterns[type].test(name))) return type
  }
  return 'unknown'
}

/** Counts what an agent offers; 0 where it does not say. */
async function countOffers(
  type: DiscoveredAgent['type'],
  { session, list }: Connection,
  time: { remainingMs: number },
  deps: ProbeDeps,
): Promise<DiscoveredAgent['stats']> {
  const ctx = { session, time: { remainingMs: time.remainingMs / 2 }, deps, faults: new Faults(1) }
  if (type === 'creative') {
    const formats = await listFormats(list.tools, ctx)
    return { format_count: 'failure' in formats ? 0 : formats.total }
  }
  if (type !== 'sales') return {}
  const products = await listProducts(list.tools, ctx)
  return { product_count: 'failure' in products ? 0 : products.total, publisher_count: 0 }
}
