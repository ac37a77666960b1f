import { type CardFound, readCard } from '../crawl/agent-card.ts'
import { Faults } from '../crawl/faults.ts'
import { type Connection, connectMcp } from '../crawl/mcp/connect.ts'
import type { AgentTool } from '../model/documents.ts'
import type { AgentFailed, AgentTold, DiscoveredAgent } from '../model/live-agent.ts'
import { listFormats } from './agent-formats.ts'
import { listProducts } from './agent-inventory.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { failedBy } from './trouble.ts'

/** Parts of names of tools that tell a type, the surest type first. */
const telling = {
  sales: /get_product|media_buy|create_media/i,
  signals: /signal|audience/i,
  creative: /creative|format|preview/i,
} as const

/** What an agent is and offers: over MCP, else by its card. */
export async function discover(
  address: string,
  time: { leftMs: number },
  deps: ProbeDeps,
): Promise<AgentTold | AgentFailed> {
  const [found, read] = await Promise.all([connectMcp(address, time, deps), cardOf(address, deps)])
  if ('trouble' in found && read === undefined) return failedBy(found.trouble)
  const tools = 'trouble' in found ? (read?.tools ?? []) : found.list.tools
  const type = typeOf(tools)
  const name = 'serverName' in found ? found.serverName : undefined
  const told: DiscoveredAgent = {
    name: name ?? read?.card.name ?? new URL(address).hostname,
    ...(read?.card.description !== undefined && { description: read.card.description }),
    protocols: [
      ...('trouble' in found ? [] : (['mcp'] as const)),
      ...(read ? (['a2a'] as const) : []),
    ],
    type,
    tools_count: tools.length,
    tools: tools.map(({ name: tool, description }) => ({
      name: tool,
      ...(description !== undefined && { description: description.slice(0, 500) }),
    })),
    stats: 'trouble' in found ? {} : await statsOf(type, found, time, deps),
  }
  return { told }
}

async function cardOf(address: string, deps: ProbeDeps): Promise<CardFound | undefined> {
  const card = await readCard(address, deps)
  return typeof card === 'object' && 'card' in card ? card : undefined
}

function typeOf(tools: readonly AgentTool[]): DiscoveredAgent['type'] {
  for (const type of ['sales', 'signals', 'creative'] as const) {
    if (tools.some(({ name }) => telling[type].test(name))) return type
  }
  return 'unknown'
}

/** How much it has to offer; 0 where it does not say. */
async function statsOf(
  type: DiscoveredAgent['type'],
  { session, list }: Connection,
  time: { leftMs: number },
  deps: ProbeDeps,
): Promise<DiscoveredAgent['stats']> {
  const asking = { session, time: { leftMs: time.leftMs / 2 }, deps, faults: new Faults(1) }
  if (type === 'creative') {
    const formats = await listFormats(list.tools, asking)
    return { format_count: 'trouble' in formats ? 0 : formats.total }
  }
  if (type !== 'sales') return {}
  const products = await listProducts(list.tools, asking)
  return { product_count: 'trouble' in products ? 0 : products.total, publisher_count: 0 }
}
