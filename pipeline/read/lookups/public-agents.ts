import type { Reader } from '../reader.ts'
import { findProbedAgent, type ProbedAgent } from './agent-profiles.ts'
import { findAgent } from './agents.ts'
import { getMembers } from './members.ts'

/** Tells whether what the registry learned by probing is for everybody: a member may keep it private. */
export function isForEverybody(reader: Reader, agentUrl: string): boolean {
  const members = getMembers(reader)
  const isEnrolled = members.findKeeper(agentUrl) !== undefined
  return !isEnrolled || members.findPublicEnroller(agentUrl) !== undefined
}

/** Lists the agents of members whose probes are not for everybody. */
export function listHiddenAgents(reader: Reader): string[] {
  const enrolled = getMembers(reader).all.flatMap(({ agents }) => agents.map(({ url }) => url))
  return enrolled.filter(url => !isForEverybody(reader, url))
}

/** Finds what everybody may know about an agent by asking it. */
export function findPublicProbe(reader: Reader, agentUrl: string): ProbedAgent | undefined {
  return isForEverybody(reader, agentUrl) ? findProbedAgent(reader, agentUrl) : undefined
}

/**
 * Tells whether everybody may know that there is an agent: a publisher or a member names it, or everybody may know
 * what it answered.
 */
export function isPublicAgent(reader: Reader, agentUrl: string): boolean {
  if (findAgent(reader, agentUrl).publisher_count > 0) return true
  if (getMembers(reader).findPublicEnroller(agentUrl) !== undefined) return true
  const probed = findPublicProbe(reader, agentUrl)
  return probed?.outcome !== undefined || probed?.profile !== undefined
}
