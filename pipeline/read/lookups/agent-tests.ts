import type {
  AgentDiagnostics,
  AgentTests,
  StoredCredential,
  StoredExchange,
} from '../../model/agent-test.ts'
import { hashAgent, toCredentialKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'

type Serving = Pick<Reader, 'serving'>

/** Finds the settings and results of an agent’s tests; undefined if it was never tested. */
export function findAgentTests({ serving }: Serving, agentUrl: string): AgentTests | undefined {
  return parse(serving?.get('agent_test', hashAgent(agentUrl)))
}

/** Finds the recorded steps and calls of an agent’s tests, which only its organization may read. */
export function findAgentDiagnostics(
  { serving }: Serving,
  agentUrl: string,
): AgentDiagnostics | undefined {
  return parse(serving?.get('agent_diagnostic', hashAgent(agentUrl)))
}

/** Finds requests and answers of steps that failed, by the run and the place of the step in it. */
export function findAgentExchanges({ serving }: Serving, agentUrl: string): StoredExchange[] {
  return parse(serving?.get('agent_exchange', hashAgent(agentUrl))) ?? []
}

/** Finds the credential that an organization saved for its agent, encrypted. */
export function findAgentCredential(
  { serving }: Serving,
  orgId: string,
  agentUrl: string,
): StoredCredential | undefined {
  return parse(serving?.get('agent_credential', toCredentialKey(orgId, agentUrl)))
}

function parse<Value>(value: Buffer | undefined): Value | undefined {
  return value && (JSON.parse(value.toString()) as Value)
}
