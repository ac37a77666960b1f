import { parsePublisherDomain } from '../core/domain.ts'
import type { MirroredCollection } from '../model/mirror.ts'
import { buildOwners } from './collections.ts'
import type { AdagentsInlineDocument } from './grant.ts'

/** Lists the publishers that a file describes which is kept for others. */
export function listDescribedPublishers(document: AdagentsInlineDocument): string[] {
  const named = document.properties.flatMap(({ publisher_domain }) => publisher_domain ?? [])
  const owners = listMirroredCollections(document).map(row => row.publisher_domain)
  return [...new Set([...named, ...owners])].sort()
}

/**
 * Lists the collections of a mirror file, each with its publisher: as of any shared file
 * (`buildOwners`), or the only publisher whose properties it lists. Collections without an owner
 * are left out; of those with one id the first counts.
 */
export function listMirroredCollections(document: AdagentsInlineDocument): MirroredCollection[] {
  const named = new Set(document.properties.flatMap(property => property.publisher_domain ?? []))
  const only = named.size === 1 ? named : new Set<string>()
  const found = new Map<string, MirroredCollection>()
  for (const [entry, owner] of buildOwners(document)) {
    const owners = owner.size > 0 ? owner : only
    for (const owner of owners) {
      const publisher_domain = parsePublisherDomain(owner)
      if (publisher_domain === undefined) continue
      const key = `${publisher_domain} ${entry.collection_id}`
      if (!found.has(key)) found.set(key, { publisher_domain, entry })
    }
  }
  return [...found.values()]
}
