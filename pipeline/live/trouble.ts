import type { Outcome } from '../core/outcomes.ts'
import type { Trouble } from '../crawl/mcp/trouble.ts'
import type { AgentFailed } from '../model/live-agent.ts'

/** Outcomes that would tell one network that is not public from another. */
const unreachable: ReadonlySet<Outcome> = new Set(['dns_failed', 'connection_failed', 'refused'])

/** Why an agent did not answer, as anybody may be told. */
export function sayTrouble({ outcome, detail }: Trouble): string {
  return unreachable.has(outcome) ? 'the agent cannot be reached' : `the agent ${verbOf(detail)}`
}

/** Details are the end of a sentence about the agent, or say what there was. */
function verbOf(detail: string): string {
  return /^(answer|want|refuse|redirect|gave)/.test(detail) ? detail : `did not answer: ${detail}`
}

export const late: AgentFailed = { failed: 'timeout', message: 'the agent did not answer in time' }

export function failedBy(trouble: Trouble): AgentFailed {
  if (trouble.outcome === 'timeout') return late
  return {
    failed: 'no_answer',
    message: sayTrouble(trouble),
    ...(trouble.outcome === 'needs_auth' && { oauth_required: true as const }),
  }
}
