import type { Outcome } from '../core/outcomes.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { nameReason } from '../crawl/mcp/failure-reason.ts'
import type { AgentFailed } from '../model/live/live-agent.ts'

/** Outcomes that would reveal which kind of private network a name leads to. */
const unreachable: ReadonlySet<Outcome> = new Set(['dns_failed', 'connection_failed', 'refused'])

/** Describes why an agent did not answer, without private details. */
export function describeFailure({ outcome, detail, status }: McpFailure): string {
  if (unreachable.has(outcome)) {
    return status === undefined
      ? 'the agent cannot be reached'
      : 'the agent closed the connection during its answer'
  }
  if (/^(answer|require|refuse|redirect|gave)/.test(detail)) return `the agent ${detail}`
  return status === undefined
    ? `the agent did not respond: ${detail}`
    : `the agent returned no usable answer: ${detail}`
}

export const timedOut: AgentFailed = {
  failed: 'timeout',
  reason: 'timeout',
  message: 'the agent did not answer in time',
}

/** Never sent to a client: the caller falls back to the last known answer. */
const throttled: AgentFailed & { throttled: true } = {
  failed: 'no_answer',
  reason: 'unknown',
  message: 'the agent could not be called at the moment',
  throttled: true,
}

export function toAgentFailed(failure: McpFailure): AgentFailed & { throttled?: true } {
  if (failure.outcome === 'timeout') return timedOut
  if (failure.outcome === 'deferred') return throttled
  return {
    failed: 'no_answer',
    reason: nameReason(failure.outcome),
    message: describeFailure(failure),
    ...(failure.outcome === 'needs_auth' && { oauth_required: true as const }),
  }
}
