import type { Outcome } from '../core/outcomes.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import type { AgentFailed } from '../model/live/live-agent.ts'

/** Outcomes that would reveal which kind of private network a name leads to. */
const unreachable: ReadonlySet<Outcome> = new Set(['dns_failed', 'connection_failed', 'refused'])

/** Describes why an agent did not answer, without private details. */
export function describeFailure({ outcome, detail }: McpFailure): string {
  return unreachable.has(outcome)
    ? 'the agent cannot be reached'
    : `the agent ${chooseVerb(detail)}`
}

/** Chooses the verb of a sentence about the agent: details either complete it or say what there was. */
function chooseVerb(detail: string): string {
  return /^(answer|want|refuse|redirect|gave)/.test(detail) ? detail : `did not answer: ${detail}`
}

export const timedOut: AgentFailed = {
  failed: 'timeout',
  message: 'the agent did not answer in time',
}

/** Never sent to a client: the caller falls back to the last known answer. */
const throttled: AgentFailed & { throttled: true } = {
  failed: 'no_answer',
  message: 'the agent could not be called at the moment',
  throttled: true,
}

export function toAgentFailed(failure: McpFailure): AgentFailed & { throttled?: true } {
  if (failure.outcome === 'timeout') return timedOut
  if (failure.outcome === 'deferred') return throttled
  return {
    failed: 'no_answer',
    message: describeFailure(failure),
    ...(failure.outcome === 'needs_auth' && { oauth_required: true as const }),
  }
}
