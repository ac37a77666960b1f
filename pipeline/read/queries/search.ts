import { parsePastedDomain } from '../../core/domain.ts'
import type { PublisherMatch } from '../../model/responses/search.ts'
import { fold } from '../../search/fold.ts'
import {
  type CollectionName,
  collectionNames,
  type SearchIndex,
} from '../../search/search-index.ts'
import { getMembers, toPublicMember } from '../lookups/members.ts'
import type { Reader, Snapshot } from '../reader.ts'
import { toPublicMatches } from './found-agents.ts'
import { toFoundProperty } from './properties.ts'
import { findPublishers } from './publishers.ts'

/**
 * Searches for the best matches of each kind; each result is a list of items as JSON. A pasted address of which nothing
 * has the text is searched for by its domain.
 */
export async function searchEverything(
  reader: Reader,
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<Record<CollectionName, string[]>> {
  const found = await searchText(reader, index, text, limit)
  const domain = parsePastedDomain(text)
  const isFound = collectionNames.some(name => found[name].length > 0)
  if (isFound || domain === undefined || domain === text) return found
  return searchText(reader, index, domain, limit)
}

async function searchText(
  reader: Reader,
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<Record<CollectionName, string[]>> {
  const found = await index.search(collectionNames, text, limit)
  const members = getMembers(reader)
  const publishers =
    members.all.length === 0 || reader.snapshot === undefined
      ? found.publishers
      : await withMembers(found.publishers, reader, reader.snapshot, { text, limit })
  return {
    brands: found.brands,
    publishers,
    properties: found.properties.map(toFoundProperty),
    agents: toPublicMatches(reader, found.agents, { text, limit }),
  }
}

/**
 * Adds to publishers the members they belong to and, while there is room, those of members whose name
 * matches. Most facts about members are private, so the search file does not contain members.
 */
async function withMembers(
  found: readonly string[],
  reader: Reader,
  snapshot: Snapshot,
  { text, limit }: { text: string; limit: number },
): Promise<string[]> {
  const members = getMembers(reader)
  const domains = found.map(item => (JSON.parse(item) as PublisherMatch).domain)
  const room = limit - domains.length
  if (room > 0) {
    const others = listDomainsOfMembers(text, reader).filter(domain => !domains.includes(domain))
    domains.push(...(await findPublishers(snapshot, others, room)))
  }
  return domains.map(domain => {
    const member = toPublicMember(members.findOwner(domain))
    return JSON.stringify({ domain, member } satisfies PublisherMatch)
  })
}

function listDomainsOfMembers(text: string, reader: Reader): string[] {
  const folded = fold(text)
  const called = getMembers(reader).foldedNames.filter(({ name }) => name.includes(folded))
  return called.flatMap(({ domains }) => domains)
}

/** Finds brands that match a text, the best first, as JSON. */
export async function findBrands(
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<string[]> {
  return (await index.search(['brands'], text, limit)).brands
}
