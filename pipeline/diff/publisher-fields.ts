import type { Domain } from '../core/domain.ts'
import { hashStructure, hashStructureOfSet } from '../core/structural-hash.ts'
import type { PublisherFacts } from '../resolve/publisher.ts'
import { readTerms } from './authorizations.ts'
import { toCollection } from './collections.ts'
import { toFactsKey } from './property-identity.ts'

/**
 * Hashes each field of a publisher's file, so that a later event can name the fields that changed. Of a file
 * that describes several publishers only the part about this one counts, wherever in the file it is.
 */
export function hashFields(
  domain: Domain,
  {
    discovery_method,
    document,
    resolved_location,
    properties,
    grants,
    collections,
    catalog,
  }: PublisherFacts,
): Record<string, string> {
  if (discovery_method === 'direct') return document.fields
  const names = properties.map(toFactsKey)
  const terms = grants.map(({ entry, reaches }) => [
    readTerms(domain, entry),
    hashStructureOfSet(reaches.map(index => names[index])),
  ])
  return {
    authoritative_location: hashStructure(resolved_location),
    authorized_agents: hashStructureOfSet(terms),
    properties: hashStructureOfSet(properties),
    ...hashItems('collections', collections.map(toCollection)),
    ...hashItems('placements', catalog.placements),
    ...hashItems('formats', catalog.formats),
  }
}

/** Hashes the items of a list; an empty list counts as absent. */
function hashItems(name: string, items: readonly unknown[]): Record<string, string> {
  return items.length === 0 ? {} : { [name]: hashStructureOfSet(items) }
}
