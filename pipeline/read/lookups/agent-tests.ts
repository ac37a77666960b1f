import type { AgentDiagnostics, AgentTests, StoredCredential } from '../../model/agent-test.ts'
import { hashAgent, toCredentialKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'

type Serving = Pick<Reader, 'serving'>

/** Finds how an agent is tested, and what came of it; undefined where nothing is known. */
export function findAgentTests({ serving }: Serving, agentUrl: string): AgentTests | undefined {
  return parse(serving?.get('agent_test', hashAgent(agentUrl)))
}

export function findAgentDiagnostics(
  { serving }: Serving,
  agentUrl: string,
): AgentDiagnostics | undefined {
  return parse(serving?.get('agent_diagnostic', hashAgent(agentUrl)))
}

/** Finds the credential that an organization has given of its agent, encrypted. */
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
