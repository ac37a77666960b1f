import type { ProbeDeps } from '../crawl/agent-probe.ts'
import { waitWithin } from '../crawl/deadline.ts'
import { type Connection, connectMcp } from '../crawl/mcp/connect.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import type { AgentFailed, AgentReport, AgentTopic } from '../model/live/live-agent.ts'
import { Faults } from '../parse/faults.ts'
import { timedOut, toAgentFailed } from './agent-failures.ts'
import { listFormats } from './agent-formats.ts'
import { listProducts, listProperties } from './agent-inventory.ts'
import { discover } from './discover-agent.ts'

const lists = {
  formats: listFormats,
  products: listProducts,
  publishers: listProperties,
} as const

/** Asks an agent about a topic, without a credential and within one deadline. */
export function askAgent(
  address: string,
  about: AgentTopic,
  deps: ProbeDeps,
): Promise<AgentReport | AgentFailed> {
  const time = { remainingMs: deps.limits.agentAskMs }
  const answer =
    about === 'itself' ? discover(address, time, deps) : ask(address, lists[about], time, deps)
  return waitWithin(deps.limits.agentAskMs, answer, timedOut)
}

async function ask(
  address: string,
  list: (typeof lists)[keyof typeof lists],
  time: { remainingMs: number },
  deps: ProbeDeps,
): Promise<AgentReport | AgentFailed> {
  const connected: Connection | { failure: McpFailure } = await connectMcp(address, time, deps)
  if ('failure' in connected) return toAgentFailed(connected.failure)
  const { session } = connected
  const ctx = { session, time, deps, faults: new Faults(1) }
  const answer = await list(connected.list.tools, ctx)
  return 'failure' in answer ? toAgentFailed(answer.failure) : { list: answer }
}
