import { pickDecisive } from '../core/outcomes.ts'
import type { CardFound } from '../crawl/agent-card.ts'
import { readCard } from '../crawl/agent-card.ts'
import type { ProbeDeps } from '../crawl/agent-probe.ts'
import { waitWithin } from '../crawl/deadline.ts'
import { tryEndpoints } from '../crawl/mcp/connect.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import type { AgentCheck } from '../model/live/live.ts'
import { describeFailure } from './agent-failures.ts'

const AGENTS_AT_ONCE = 4

/**
 * Checks whether these agents respond: by their card, else to a handshake. One that requires a credential
 * responds. Each has a few seconds, and all of them `ms` together. An agent whose site's request budget is
 * used up is left out: nothing was learned of it.
 */
export async function checkAgents(
  addresses: readonly string[],
  ms: number,
  deps: ProbeDeps,
): Promise<AgentCheck[]> {
  const until = performance.now() + ms
  const checks: (AgentCheck | undefined)[] = []
  const waiting = [...addresses.entries()]
  const check = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [i, address] = next
      const remainingMs = Math.min(deps.limits.validateAgentMs, until - performance.now())
      const timeout = {
        agent_url: address,
        valid: false,
        errors: ['the agent did not answer in time'],
      }
      checks[i] =
        remainingMs <= 0
          ? timeout
          : await waitWithin(remainingMs, checkAgent(address, deps), timeout)
    }
  }
  await Promise.all(Array.from({ length: AGENTS_AT_ONCE }, check))
  return checks.filter(check => check !== undefined)
}

async function checkAgent(address: string, deps: ProbeDeps): Promise<AgentCheck | undefined> {
  const started = performance.now()
  const took = () => ({ response_time_ms: Math.round(performance.now() - started) })
  const card = await readCard(address, deps)
  if ('card' in card) return { ...checkByCard(address, card), ...took() }
  const failure = await findSessionFailure(address, deps)
  const check = { agent_url: address, ...took() }
  if (failure === undefined) return { ...check, valid: true, errors: [] }
  const decisive = pickDecisive<McpFailure>(failure, card)
  const { outcome } = decisive
  if (outcome === 'deferred') return undefined
  if (outcome === 'needs_auth') {
    return { ...check, valid: true, errors: [], oauth_required: true, status_code: 401 }
  }
  const ofCard = card.fault === undefined ? [] : [`its card ${card.fault}`]
  return { ...check, valid: false, errors: [...ofCard, describeFailure(decisive)] }
}

function checkByCard(address: string, { card, address: endpoint }: CardFound): AgentCheck {
  return {
    agent_url: address,
    valid: true,
    errors: [],
    status_code: 200,
    card_data: { ...card },
    card_endpoint: endpoint,
  }
}

/** Opens a session at one of the agent's possible addresses, or returns why none of them has one. */
async function findSessionFailure(
  address: string,
  deps: ProbeDeps,
): Promise<McpFailure | undefined> {
  const time = { remainingMs: deps.limits.agentCardMs }
  const opened = await tryEndpoints(address, deps, session => session.initialize(time))
  return 'failure' in opened ? opened.failure : undefined
}
