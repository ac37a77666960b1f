import type { CardFound } from '../crawl/agent-card.ts'
import { readCard } from '../crawl/agent-card.ts'
import { endpointsOf } from '../crawl/mcp/endpoints.ts'
import { McpSession } from '../crawl/mcp/session.ts'
import type { AgentCheck } from '../model/live.ts'
import { within } from './deadline.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { sayTrouble } from './trouble.ts'

const AT_ONCE = 4

/**
 * Whether these agents are there: by their card, else by how they answer a greeting. One that wants a
 * credential is there. Each has a few seconds, and all of them `ms` together.
 */
export async function checkAgents(
  addresses: readonly string[],
  ms: number,
  deps: ProbeDeps,
): Promise<AgentCheck[]> {
  const until = performance.now() + ms
  const checks: AgentCheck[] = []
  const waiting = [...addresses.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [i, address] = next
      const left = Math.min(deps.limits.validateAgentMs, until - performance.now())
      const late = {
        agent_url: address,
        valid: false,
        errors: ['the agent did not answer in time'],
      }
      checks[i] = left <= 0 ? late : await within(left, checkAgent(address, deps), late)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return checks
}

async function checkAgent(address: string, deps: ProbeDeps): Promise<AgentCheck> {
  const started = performance.now()
  const took = () => ({ response_time_ms: Math.round(performance.now() - started) })
  const card = await readCard(address, deps)
  if (typeof card === 'object' && 'card' in card) return { ...byCard(address, card), ...took() }
  const greeted = await greet(address, deps)
  const check = { agent_url: address, ...took() }
  if (greeted === 'there') return { ...check, valid: true, errors: [] }
  if (greeted === 'needs_auth') {
    return { ...check, valid: true, errors: [], oauth_required: true, status_code: 401 }
  }
  const ofCard = typeof card === 'object' ? [`its card ${card.fault}`] : []
  return { ...check, valid: false, errors: [...ofCard, greeted] }
}

function byCard(address: string, { card, address: endpoint }: CardFound): AgentCheck {
  return {
    agent_url: address,
    valid: true,
    errors: [],
    status_code: 200,
    card_data: { ...card },
    card_endpoint: endpoint,
  }
}

/** Greets it at the places where it may listen; why not, in words, when none of them is one. */
async function greet(address: string, deps: ProbeDeps): Promise<string> {
  const time = { leftMs: deps.limits.agentCardMs }
  let why: string | undefined
  for (const endpoint of endpointsOf(address)) {
    const reply = await new McpSession(endpoint, deps).initialize(time)
    if (!('trouble' in reply)) return 'there'
    if (reply.trouble.outcome === 'needs_auth') return 'needs_auth'
    why ??= sayTrouble(reply.trouble)
    if (!reply.trouble.isOfPlace) break
  }
  return why!
}
