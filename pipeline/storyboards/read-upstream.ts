import { toIso } from '../core/clock.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { AgentSession } from './agent-session.ts'
import { findAccount } from './build-request.ts'
import type { UpstreamRecord } from './judged.ts'
import type { PlannedValidation } from './plan-step.ts'
import type { RunState } from './run-state.ts'

const CONTROLLER = 'comply_test_controller'
const QUERY = 'query_upstream_traffic'
const CALLS_MAX = 100
/** An agent’s clock may be a little behind. */
const SKEW_MS = 250

/**
 * Reads what an agent called upstream since a step, or since an earlier one, where a check asks for it.
 * Undefined where the agent keeps no record, or does not show it.
 */
export async function readUpstream(
  step: string,
  validations: readonly PlannedValidation[],
  state: RunState,
  session: AgentSession,
): Promise<UpstreamRecord | undefined> {
  const windows = new Set(
    validations.flatMap(rule => (rule.check === 'upstream_traffic' ? [rule.since] : [])),
  )
  if (windows.size === 0 || !(await hasRecord(state, session))) return undefined
  const record = new Map<string | undefined, JsonObject[]>()
  for (const since of windows) {
    const calls = await query(state.requestedAt.get(since ?? step), state, session)
    if (calls === undefined) return undefined
    record.set(since, calls)
  }
  return record
}

async function query(
  since: number | undefined,
  state: RunState,
  session: AgentSession,
): Promise<JsonObject[] | undefined> {
  if (since === undefined) return undefined
  const params = { since_timestamp: toIso(since - SKEW_MS), limit: CALLS_MAX }
  const payload = await ask({ scenario: QUERY, params }, state, session)
  const calls = payload?.success === true ? payload.recorded_calls : undefined
  return Array.isArray(calls) ? calls.filter(isObject).slice(0, CALLS_MAX) : undefined
}

async function hasRecord(state: RunState, session: AgentSession): Promise<boolean> {
  if (!state.tools.has(CONTROLLER)) return false
  state.scenarios ??= (await ask({ scenario: 'list_scenarios' }, state, session))?.scenarios ?? []
  return Array.isArray(state.scenarios) && state.scenarios.includes(QUERY)
}

async function ask(
  args: JsonObject,
  state: RunState,
  session: AgentSession,
): Promise<JsonObject | undefined> {
  if (session.hasEnded) return undefined
  const answer = await session.call(CONTROLLER, { account: findAccount(state), ...args })
  return answer.kind === 'answered' ? answer.outcome.payload : undefined
}
