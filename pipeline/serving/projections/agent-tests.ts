import {
  DIAGNOSED,
  loadAgentDiagnostics,
  loadAgentExchanges,
  loadAgentTests,
  loadCredentials,
  TESTED,
} from '../../accounts/agents/agent-tests.ts'
import { toJsonValue } from '../document-value.ts'
import { hashAgent, toCredentialKey } from '../keys.ts'
import type { RowProjection } from './projection.ts'

const shared = { store: 'accounts', changed: 'seq > $seq', slicedBy: 'agent_url' } as const

/** Settings and results of agents' tests. */
export const agentTestProjection: RowProjection = {
  ...shared,
  tables: ['agent_compliance', 'agent_monitoring', 'agent_badges', 'compliance_runs'],
  from: TESTED,
  project({ accounts }, where, parameters) {
    const agents = loadAgentTests(accounts.db, where, parameters)
    return agents.map(tests => ({
      space: 'agent_test',
      key: hashAgent(tests.agent_url),
      value: toJsonValue(tests),
    }))
  },
}

/** Steps of runs, and calls, for the organizations of the agents. */
export const agentDiagnosticProjection: RowProjection = {
  ...shared,
  tables: ['storyboard_diagnostics', 'agent_requests'],
  from: DIAGNOSED,
  project({ accounts }, where, parameters) {
    const agents = loadAgentDiagnostics(accounts.db, where, parameters)
    return agents.map(diagnostics => ({
      space: 'agent_diagnostic',
      key: hashAgent(diagnostics.agent_url),
      value: toJsonValue(diagnostics),
    }))
  },
}

/** Requests and answers of steps that failed, for the organizations of the agents. */
export const agentExchangeProjection: RowProjection = {
  ...shared,
  tables: ['storyboard_exchanges'],
  from: 'storyboard_exchanges',
  project({ accounts }, where, parameters) {
    const agents = loadAgentExchanges(accounts.db, where, parameters)
    return agents.map(({ agent_url, exchanges }) => ({
      space: 'agent_exchange',
      key: hashAgent(agent_url),
      value: toJsonValue(exchanges),
    }))
  },
}

/** Encrypted credentials of agents, which the API passes on to a crawler. */
export const agentCredentialProjection: RowProjection = {
  ...shared,
  tables: ['agent_credentials'],
  from: 'agent_credentials',
  project({ accounts }, where, parameters) {
    const rows = loadCredentials(accounts.db, where, parameters)
    return rows.map(({ org_id, agent_url, sealed, ...credential }) => ({
      space: 'agent_credential',
      key: toCredentialKey(org_id, agent_url),
      value: sealed === null ? undefined : toJsonValue({ ...credential, sealed }),
    }))
  },
}
