import { Faults } from '../crawl/faults.ts'
import { type Connection, connectMcp } from '../crawl/mcp/connect.ts'
import type { Trouble } from '../crawl/mcp/trouble.ts'
import type { AgentFailed, AgentTold, AgentTopic } from '../model/live-agent.ts'
import { listFormats } from './agent-formats.ts'
import { listProducts, listProperties } from './agent-inventory.ts'
import { within } from './deadline.ts'
import { discover } from './discover-agent.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { failedBy, late } from './trouble.ts'

const lists = {
  formats: listFormats,
  products: listProducts,
  publishers: listProperties,
} as const

/** Asks an agent about something, without any credential and within one time. */
export function askAgent(
  address: string,
  about: AgentTopic,
  deps: ProbeDeps,
): Promise<AgentTold | AgentFailed> {
  const time = { leftMs: deps.limits.agentAskMs }
  const asked =
    about === 'itself' ? discover(address, time, deps) : ask(address, lists[about], time, deps)
  return within(deps.limits.agentAskMs, asked, late)
}

async function ask(
  address: string,
  list: (typeof lists)[keyof typeof lists],
  time: { leftMs: number },
  deps: ProbeDeps,
): Promise<AgentTold | AgentFailed> {
  const found: Connection | { trouble: Trouble } = await connectMcp(address, time, deps)
  if ('trouble' in found) return failedBy(found.trouble)
  const { session } = found
  const asking = { session, time, deps, faults: new Faults(1) }
  const answer = await list(found.list.tools, asking)
  return 'trouble' in answer ? failedBy(answer.trouble) : { list: answer }
}
