import type { Domain } from '../core/domain.ts'
import { parsePublisherDomain } from '../core/domain.ts'
import type { CollectionEntry } from '../model/documents/index.ts'
import type { AdagentsInlineDocument } from './grant.ts'

/**
 * Lists the collections of a file that belong to a publisher; of those with one id the first. In
 * its own file these are all that name no other owner. In a shared file each must name its owner
 * (`buildOwners`); a collection without an owner belongs to no publisher.
 */
export function listCollections(
  domain: Domain,
  document: AdagentsInlineDocument,
  isShared: boolean,
): CollectionEntry[] {
  if (document.collections.length === 0) return []
  const owners = owned.get(document) ?? buildOwners(document)
  owned.set(document, owners)
  const own = document.collections.filter(collection => {
    if (isShared) return owners.get(collection)?.has(domain)
    return (readDeclaredOwner(collection) ?? domain) === domain
  })
  return [...new Map(own.reverse().map(entry => [entry.collection_id, entry])).values()].reverse()
}

/** A shared file is read for thousands of publishers: who owns what is found once. */
const owned = new WeakMap<AdagentsInlineDocument, Owners>()
type Owners = ReadonlyMap<CollectionEntry, ReadonlySet<string>>

/**
 * Finds the owners of the collections in a shared file, by the first that says anything: the owner a
 * collection spells, the publishers under whose name an entry refers to its id, the publishers it is
 * distributed by.
 */
export function buildOwners(document: AdagentsInlineDocument): Owners {
  const referred = new Map<string, Set<string>>()
  const selectors = document.agents.flatMap(({ collections }) => collections ?? [])
  for (const { publisher_domain, collection_ids } of selectors) {
    for (const id of collection_ids) {
      referred.set(id, (referred.get(id) ?? new Set()).add(publisher_domain))
    }
  }
  return new Map(
    document.collections.map(collection => {
      const declaredOwner = readDeclaredOwner(collection)
      const distributors = collection.distribution.map(place => place.publisher_domain)
      const others = referred.get(collection.collection_id) ?? new Set(distributors)
      return [collection, declaredOwner === undefined ? others : new Set([declaredOwner])]
    }),
  )
}

/** Reads the owner of a collection. The format does not define one, but files that many share write it. */
function readDeclaredOwner({ manifest }: CollectionEntry): string | undefined {
  const owner = manifest.publisher_domain
  return owner === undefined ? undefined : (parsePublisherDomain(owner) ?? '')
}
