import { loadAgentRuns } from '../../accounts/storyboard-runs.ts'
import { toJsonValue } from '../document-value.ts'
import { hashAgent } from '../keys.ts'
import type { RowProjection } from './projection.ts'

/** Runs of storyboards by their agent, without who asked for them. */
export const agentRunProjection: RowProjection = {
  store: 'accounts',
  tables: ['storyboard_runs'],
  changed: 'seq > $seq',
  slicedBy: 'agent_url',
  from: 'storyboard_runs',
  async project({ accounts }, where, parameters) {
    const agents = await loadAgentRuns(accounts.db, where, parameters)
    return agents.map(runs => ({
      space: 'agent_run',
      key: hashAgent(runs.agent_url),
      value: toJsonValue(runs),
    }))
  },
}
