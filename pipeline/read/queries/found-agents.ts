import type { AgentMatch } from '../../model/responses/search.ts'
import { fold } from '../../search/fold.ts'
import type { FoundAgent } from '../../search/search-entries.ts'
import { findAgent } from '../lookups/agents.ts'
import { getMembers } from '../lookups/members.ts'
import {
  findPublicProbe,
  isForEverybody,
  isPublicAgent,
  listHiddenAgents,
} from '../lookups/public-agents.ts'
import type { Reader } from '../reader.ts'

const HIDDEN_MAX = 100

/** Counts the agents to ask the search file for, so that enough are left when private ones are omitted. */
export function countAgentsToFind(reader: Reader, limit: number): number {
  return limit + Math.min(HIDDEN_MAX, listHiddenAgents(reader).length)
}

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
    .filter(url => mayBeFound(reader, url, folded))
  const shown = getMembers(reader)
    .foldedAgents.filter(({ texts }) => texts.includes(folded))
    .map(({ url }) => url)
  const urls = [...new Set([...known, ...shown])].slice(0, limit)
  return urls.map(url => JSON.stringify(toMatch(reader, url)))
}

/** Tells whether an agent may be found by a text: by its address alone where members keep what it says to themselves. */
function mayBeFound(reader: Reader, url: string, folded: string): boolean {
  return isPublicAgent(reader, url) && (isForEverybody(reader, url) || fold(url).includes(folded))
}

function toMatch(reader: Reader, url: string): AgentMatch {
  const profile = findPublicProbe(reader, url)?.profile
  const enrolled = getMembers(reader).findPublicEnrolment(url)
  return {
    agent_url: url,
    name: profile?.name || enrolled?.name || null,
    type: profile?.type ?? enrolled?.type ?? 'unknown',
    publisher_count: findAgent(reader, url).publisher_count,
  }
}
