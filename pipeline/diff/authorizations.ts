import { isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { idOfFacts } from '../core/uuid-v7.ts'
import type { AgentEntry } from '../model/documents.ts'
import type { AuthorizationRow } from '../model/rows.ts'
import type { Grant, PublisherFacts } from '../resolve/publisher.ts'
import type { Stamp } from './rows.ts'
import { setOf, sortedBy } from './sets.ts'

/**
 * The rows of a publisher's grants, given those that stand and the rids of its properties. Lists
 * that are sets are sorted: their order in the file says nothing.
 */
export function authorizationRowsOf(
  domain: Domain,
  facts: PublisherFacts,
  rids: readonly string[],
  before: readonly AuthorizationRow[],
  stamp: Stamp,
): AuthorizationRow[] {
  const seen = new Map<string, number>()
  const active = new Set(rids).size
  const old = new Map(before.map(row => [row.id, row]))
  const reached = reachedAmong(rids)
  return facts.grants.map(grant => {
    const name = `${grant.entry.agent_url}\n${grant.entry.authorization_type}`
    const ordinal = seen.get(name) ?? 0
    seen.set(name, ordinal + 1)
    const id = idOfFacts('authorization', domain, name, String(ordinal))
    const property_rids = reached(grant.reaches)
    return {
      ...rowOf(domain, facts, grant, stamp),
      id,
      property_rids,
      publisher_wide: property_rids.length > 0 && property_rids.length === active,
      granted_at: old.get(id)?.granted_at ?? isoOf(stamp.now),
    }
  })
}

/** The rids at some places, sorted. Grants that share the list of places share that of rids. */
function reachedAmong(rids: readonly string[]): (places: readonly number[]) => string[] {
  const known = new Map<readonly number[], string[]>()
  return places => {
    const reached = known.get(places) ?? [...new Set(places.map(place => rids[place]!))].sort()
    known.set(places, reached)
    return reached
  }
}

function rowOf(domain: Domain, facts: PublisherFacts, grant: Grant, stamp: Stamp) {
  const { entry, in_force } = grant
  return {
    publisher_domain: domain,
    entry: entry.entry,
    ...termsOf(domain, entry),
    in_force,
    discovery_method: facts.discovery_method,
    manager_domain: facts.manager_domain ?? null,
    changed_at: isoOf(stamp.now),
    seq: stamp.seq,
  }
}

/** What an entry says of a publisher, whatever order it is written in. */
export function termsOf(domain: Domain, entry: AgentEntry) {
  return {
    agent_url: entry.agent_url,
    authorization_type: entry.authorization_type!,
    authorized_for: entry.authorized_for ?? null,
    property_ids: setOf(entry.property_ids),
    property_tags: setOf(entry.property_tags),
    publisher_properties: selectorsOn(domain, entry),
    signal_ids: setOf(entry.signal_ids),
    signal_tags: setOf(entry.signal_tags),
    placement_ids: setOf(entry.placement_ids),
    placement_tags: setOf(entry.placement_tags),
    collections: collectionsOf(entry),
    delegation_type: entry.delegation_type ?? null,
    exclusive: entry.exclusive ?? null,
    countries: setOf(entry.countries),
    effective_from: entry.effective_from ?? null,
    effective_until: entry.effective_until ?? null,
    signing_keys: sortedBy(entry.signing_keys, ({ kid }) => String(kid)),
  }
}

/**
 * The selectors of an entry that name the publisher, as if they named it alone: what they say of
 * others is no part of its grant, and a network names thousands.
 */
function selectorsOn(domain: Domain, entry: AgentEntry): AuthorizationRow['publisher_properties'] {
  if (entry.authorization_type !== 'publisher_properties') return null
  const own = (entry.publisher_properties ?? [])
    .filter(({ publisher_domains }) => publisher_domains.includes(domain))
    .map(({ selection_type, property_ids, property_tags }) => ({
      publisher_domain: domain,
      selection_type,
      ...(property_ids && { property_ids: [...property_ids].sort() }),
      ...(property_tags && { property_tags: [...property_tags].sort() }),
    }))
  return sortedBy(own, selector => JSON.stringify(selector))
}

export function collectionsOf({ collections }: AgentEntry): AuthorizationRow['collections'] {
  const sets = collections?.map(({ publisher_domain, collection_ids }) => ({
    publisher_domain,
    collection_ids: [...collection_ids].sort(),
  }))
  return sortedBy(sets, ({ publisher_domain }) => publisher_domain)
}
