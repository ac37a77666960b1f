import type { Reader } from '../reader.ts'
import { findAgent } from './agents.ts'
import { getMembers } from './members.ts'

/**
 * Resolves the key of an address to the URL of a public agent: the agent with exactly this URL, else the first whose
 * URL differs only in case, else the key itself.
 */
export function resolveAgentUrl(reader: Reader, agentUrl: string): string {
  const members = getMembers(reader)
  if (members.findPublicEnroller(agentUrl) !== undefined) return agentUrl
  const { agent_url, publisher_count } = findAgent(reader, agentUrl)
  if (agent_url !== agentUrl || publisher_count > 0) return agent_url
  return members.findPublicUrlIgnoringCase(agentUrl) ?? agentUrl
}
