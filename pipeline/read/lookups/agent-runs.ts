import type { AgentRuns } from '../../model/storyboard-record.ts'
import { hashAgent } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'

/** Finds the runs of storyboards against an agent; undefined where it was never tested. */
export function findAgentRuns(
  { serving }: Pick<Reader, 'serving'>,
  agentUrl: string,
): AgentRuns | undefined {
  const value = serving?.get('agent_run', hashAgent(agentUrl))
  return value && (JSON.parse(value.toString()) as AgentRuns)
}
