import { parsePublisherDomain } from '../core/domain.ts'
import type { MirroredCollection } from '../model/mirror.ts'
import { ownersOf } from './collections.ts'
import type { InlineDocument } from './publisher.ts'

/** Publishers that a file describes which is kept for others. */
export function describedPublishers(document: InlineDocument): string[] {
  const named = document.properties.flatMap(({ publisher_domain }) => publisher_domain ?? [])
  const owners = mirroredCollections(document).map(one => one.publisher_domain)
  return [...new Set([...named, ...owners])].sort()
}

/**
 * The collections of such a file, each with its publisher: as of any file that many share
 * (`ownersOf`), or the only publisher whose properties it lists. One that is nobody's is left out;
 * of those with one id the first counts.
 */
export function mirroredCollections(document: InlineDocument): MirroredCollection[] {
  const named = new Set(document.properties.flatMap(one => one.publisher_domain ?? []))
  const only = named.size === 1 ? named : new Set<string>()
  const found = new Map<string, MirroredCollection>()
  for (const [entry, spelled] of ownersOf(document)) {
    const owners = spelled.size > 0 ? spelled : only
    for (const owner of owners) {
      const publisher_domain = parsePublisherDomain(owner)
      if (publisher_domain === undefined) continue
      const key = `${publisher_domain} ${entry.collection_id}`
      if (!found.has(key)) found.set(key, { publisher_domain, entry })
    }
  }
  return [...found.values()]
}
