import type { AgentMatch } from '../../model/responses/search.ts'
import { fold } from '../../search/fold.ts'
import type { FoundAgent } from '../../search/search-entries.ts'
import { findProbedAgent } from '../lookups/agent-profiles.ts'
import { findAgent } from '../lookups/agents.ts'
import { getMembers } from '../lookups/members.ts'
import { isPublicAgent } from '../lookups/public-agents.ts'
import type { Reader } from '../reader.ts'

/**
 * Converts agents of the search file to what everybody may know about them and, while there is room, adds agents
 * that members show: the file does not contain members, nor agents that were never reached.
 */
export function toPublicMatches(
  reader: Reader,
  found: readonly string[],
  { text, limit }: { text: string; limit: number },
): string[] {
  const folded = fold(text)
  const known = found
    .map(item => (JSON.parse(item) as FoundAgent).agent_url)
    .filter(url => isPublicAgent(reader, url))
  const shown = getMembers(reader)
    .foldedAgents.filter(({ texts }) => texts.includes(folded))
    .map(({ url }) => url)
  const urls = [...new Set([...known, ...shown])].slice(0, limit)
  return urls.map(url => JSON.stringify(toMatch(reader, url)))
}

function toMatch(reader: Reader, url: string): AgentMatch {
  const profile = findProbedAgent(reader, url).profile
  const enrolled = getMembers(reader).findPublicEnrolment(url)
  return {
    agent_url: url,
    name: profile?.name || enrolled?.name || null,
    type: profile?.type ?? enrolled?.type ?? 'unknown',
    publisher_count: findAgent(reader, url).publisher_count,
  }
}
