import { type CardFound, readCard } from '../crawl/agent-card.ts'
import { type Connection, connectMcp } from '../crawl/mcp/connect.ts'
import type { AgentTool } from '../model/documents/index.ts'
import type { AgentFailed, AgentReport, DiscoveredAgent } from '../model/live/live-agent.ts'
import { Faults } from '../parse/faults.ts'
import { toAgentFailed } from './agent-failures.ts'
import { listFormats } from './agent-formats.ts'
import { listProducts } from './agent-inventory.ts'
import type { ProbeDeps } from './probe-deps.ts'

/** Parts of tool names that indicate a type, the most reliable type first. */
const capabilityTasks = {
  sales: /get_product|media_buy|create_media/i,
  signals: /signal|audience/i,
  creative: /creative|format|preview/i,
} as const

/** Discovers what an agent is and offers: over MCP, else by its card. */
export async function discover(
  address: string,
  time: { remainingMs: number },
  deps: ProbeDeps,
): Promise<AgentReport | AgentFailed> {
  const [found, read] = await Promise.all([
    connectMcp(address, time, deps),
    fetchCard(address, deps),
  ])
  if ('failure' in found && read === undefined) return toAgentFailed(found.failure)
  const tools = 'failure' in found ? (read?.tools ?? []) : found.list.tools
  const type = inferType(tools)
  const name = 'serverName' in found ? found.serverName : undefined
  const discovered: DiscoveredAgent = {
    name: name ?? read?.card.name ?? new URL(address).hostname,
    ...(read?.card.description !== undefined && { description: read.card.description }),
    protocols: [
      ...('failure' in found ? [] : (['mcp'] as const)),
      ...(read ? (['a2a'] as const) : []),
    ],
    type,
    tools_count: tools.length,
    tools: tools.map(({ name: tool, description }) => ({
      name: tool,
      ...(description !== undefined && { description: description.slice(0, 500) }),
    })),
    stats: 'failure' in found ? {} : await countOffers(type, found, time, deps),
  }
  return { discovered }
}

async function fetchCard(address: string, deps: ProbeDeps): Promise<CardFound | undefined> {
  const card = await readCard(address, deps)
  return typeof card === 'object' && 'card' in card ? card : undefined
}

function inferType(tools: readonly AgentTool[]): DiscoveredAgent['type'] {
  for (const type of ['sales', 'signals', 'creative'] as const) {
    if (tools.some(({ name }) => capabilityTasks[type].test(name))) return type
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
