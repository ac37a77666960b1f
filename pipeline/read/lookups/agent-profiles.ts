import { describeOutcome, getEffect, type Outcome } from '../../core/outcomes.ts'
import type { HealthChange } from '../../serving/agent-health-record.ts'
import type { AgentProfile } from '../../serving/agent-profile-record.ts'
import { hashAgent } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'
import { findFreshness } from './stored.ts'

export type { HealthChange } from '../../serving/agent-health-record.ts'

/** The last time that an agent was asked. */
export interface LastProbe {
  /** Result of the last probe; undefined before the first. */
  outcome: Outcome | undefined
  /** Status of its answer; undefined if there was none. */
  http_status: number | undefined
  checked_at: string | undefined
  /** Time of the last probe that it answered; undefined if its profile is only what others declare. */
  succeeded_at: string | undefined
}

/** Findings about an agent, by asking it and by who declares it. */
export interface ProbedAgent extends LastProbe {
  profile: AgentProfile | undefined
  took_ms: number | undefined
  /** Changes between answering and failing, the latest first. */
  health: HealthChange[]
}

/** Finds when an agent was last asked, and whether it answered. */
export function findLastProbe(reader: Reader, agentUrl: string): LastProbe {
  const freshness = findFreshness(reader, 'agent', agentUrl)
  const { outcome, http_status, checked_at, succeeded_at } = freshness
  return { outcome: outcome as Outcome | undefined, http_status, checked_at, succeeded_at }
}

/** Finds the results of the last probe of an agent, without checking who may see them. */
export function findProbedAgent(reader: Reader, agentUrl: string): ProbedAgent {
  const key = hashAgent(agentUrl)
  const profile = reader.serving?.text('agent_profile', key)
  const took = reader.serving?.text('agent_timing', key)
  const health = reader.serving?.text('agent_health', key)
  return {
    ...findLastProbe(reader, agentUrl),
    profile: profile === undefined ? undefined : JSON.parse(profile),
    took_ms: took === undefined ? undefined : Number(took),
    health: health === undefined ? [] : JSON.parse(health),
  }
}

/** Describes why an agent is offline; undefined while it is online, and before it was checked. */
export function describeOffline({
  outcome,
  http_status,
}: Pick<ProbedAgent, 'outcome' | 'http_status'>): string | undefined {
  if (outcome === undefined || getEffect(outcome) === 'success') return undefined
  return describeOutcome(outcome, http_status ?? null)
}
