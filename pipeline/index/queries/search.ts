import { fold } from '../../core/fold.ts'
import type { PublisherMatch } from '../../model/answers-search.ts'
import { type Members, membersOf, publicMember } from '../points/members.ts'
import type { Reader, Snapshot } from '../reader.ts'
import { type SearchIndex, shelfNames } from '../search/search-index.ts'
import { foundPropertyOf } from './properties.ts'
import { publishersAmong } from './publishers.ts'

/** The best matches of each kind, each a list of items as JSON. */
export async function searchEverything(
  reader: Reader,
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<{ brands: string[]; publishers: string[]; properties: string[] }> {
  const found = await index.best(shelfNames, text, limit)
  const members = membersOf(reader)
  const publishers =
    members.all.length === 0 || reader.snapshot === undefined
      ? found.publishers
      : await withMembers(found.publishers, members, reader.snapshot, { text, limit })
  return { ...found, publishers, properties: found.properties.map(foundPropertyOf) }
}

/**
 * Publishers with the members they belong to; where there is room, those of members that are called
 * so follow. Members are private facts of which only this is public, so no search file has them.
 */
async function withMembers(
  found: readonly string[],
  members: Members,
  snapshot: Snapshot,
  { text, limit }: { text: string; limit: number },
): Promise<string[]> {
  const domains = found.map(item => (JSON.parse(item) as PublisherMatch).domain)
  const room = limit - domains.length
  if (room > 0) {
    const others = domainsOfMembersCalled(text, members).filter(one => !domains.includes(one))
    domains.push(...(await publishersAmong(snapshot, others, room)))
  }
  return domains.map(domain => {
    const member = publicMember(members.ownerOf(domain))
    return JSON.stringify({ domain, member } satisfies PublisherMatch)
  })
}

function domainsOfMembersCalled(text: string, members: Members): string[] {
  const folded = fold(text)
  const called = namesOf(members).filter(({ name }) => name.includes(folded))
  return called.flatMap(({ domains }) => domains)
}

interface Called {
  name: string
  domains: readonly string[]
}

const known = new WeakMap<Members, readonly Called[]>()

/** Folded names of members whose profile is public; folded once, since they are asked for by every search. */
function namesOf(members: Members): readonly Called[] {
  const names = known.get(members) ?? foldedNamesOf(members)
  known.set(members, names)
  return names
}

function foldedNamesOf({ all }: Members): Called[] {
  const shown = all.filter(({ is_public, domains }) => is_public && domains.length > 0)
  return shown.map(({ display_name, domains }) => ({ name: fold(display_name), domains }))
}

/** Brands that match a text, the best first, as JSON. */
export async function findBrands(
  index: SearchIndex,
  text: string,
  limit: number,
): Promise<string[]> {
  return (await index.best(['brands'], text, limit)).brands
}
