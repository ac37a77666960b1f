import type { Reader } from '../reader.ts'
import { findProbedAgent } from './agent-profiles.ts'
import { findAgent } from './agents.ts'
import { getMembers } from './members.ts'

/**
 * Tells whether everybody may know that there is an agent: a publisher or a member names it, or it was probed, which
 * only agents are that a public file or a member names.
 */
export function isPublicAgent(reader: Reader, agentUrl: string): boolean {
  if (findAgent(reader, agentUrl).publisher_count > 0) return true
  if (getMembers(reader).findPublicEnroller(agentUrl) !== undefined) return true
  const probed = findProbedAgent(reader, agentUrl)
  return probed.outcome !== undefined || probed.profile !== undefined
}
