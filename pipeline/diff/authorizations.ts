import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { deriveId } from '../core/uuid-v7.ts'
import type { AgentEntry } from '../model/documents/index.ts'
import type { AuthorizationRow, Reached } from '../model/rows.ts'
import type { Grant } from '../resolve/grant.ts'
import type { PublisherFacts } from '../resolve/publisher.ts'
import { buildReached } from './property-sets.ts'
import { sortBy, sortOptional } from './sets.ts'
import type { RowStamp } from './stamp.ts'

/**
 * Builds the rows of a publisher's grants from the current ones and the rids of its properties. Lists that
 * are sets are sorted: their order in the file means nothing.
 */
export function buildAuthorizationRows(
  domain: Domain,
  facts: PublisherFacts,
  rids: readonly string[],
  before: readonly AuthorizationRow[],
  stamp: RowStamp,
): AuthorizationRow[] {
  const counts = new Map<string, number>()
  const active = new Set(rids).size
  const old = new Map(before.map(row => [row.id, row]))
  const reached = indexReached(domain, rids)
  return facts.grants.map(grant => {
    const name = `${grant.entry.agent_url}\n${grant.entry.authorization_type}`
    const ordinal = counts.get(name) ?? 0
    counts.set(name, ordinal + 1)
    const id = deriveId('authorization', domain, name, String(ordinal))
    const reach = reached(grant.reaches)
    return {
      ...buildAuthorizationRow(domain, facts, grant, stamp),
      id,
      ...reach,
      publisher_wide: reach.property_count > 0 && reach.property_count === active,
      granted_at: old.get(id)?.granted_at ?? toIso(stamp.now),
    }
  })
}

/**
 * Returns a function from positions to the set of properties there. Grants that share the list of positions
 * share the set.
 */
function indexReached(
  domain: Domain,
  rids: readonly string[],
): (positions: readonly number[]) => Reached {
  const known = new Map<readonly number[], Reached>()
  const sets = new Map<string | null, Reached>()
  return positions => {
    const reached =
      known.get(positions) ??
      buildReached(
        domain,
        // biome-ignore lint/style/noNonNullAssertion: positions are indexes of the list of rids
        positions.map(position => rids[position]!),
      )
    const shared = sets.get(reached.property_set) ?? reached
    sets.set(reached.property_set, shared)
    known.set(positions, shared)
    return shared
  }
}

function buildAuthorizationRow(
  domain: Domain,
  facts: PublisherFacts,
  grant: Grant,
  stamp: RowStamp,
) {
  const { entry, in_force } = grant
  return {
    publisher_domain: domain,
    entry: entry.entry,
    ...readTerms(domain, entry),
    in_force,
    discovery_method: facts.discovery_method,
    manager_domain: facts.manager_domain ?? null,
    changed_at: toIso(stamp.now),
    seq: stamp.seq,
  }
}

/** Reads the terms of an entry for a publisher, whatever their order in the file. */
export function readTerms(domain: Domain, entry: AgentEntry) {
  return {
    agent_url: entry.agent_url,
    // biome-ignore lint/style/noNonNullAssertion: entries without a type grant nothing and have no row
    authorization_type: entry.authorization_type!,
    authorized_for: entry.authorized_for ?? null,
    property_ids: sortOptional(entry.property_ids),
    property_tags: sortOptional(entry.property_tags),
    publisher_properties: listSelectors(domain, entry),
    signal_ids: sortOptional(entry.signal_ids),
    signal_tags: sortOptional(entry.signal_tags),
    placement_ids: sortOptional(entry.placement_ids),
    placement_tags: sortOptional(entry.placement_tags),
    collections: readCollections(entry),
    delegation_type: entry.delegation_type ?? null,
    exclusive: entry.exclusive ?? null,
    countries: sortOptional(entry.countries),
    effective_from: entry.effective_from ?? null,
    effective_until: entry.effective_until ?? null,
    signing_keys: sortBy(entry.signing_keys, ({ kid }) => String(kid)),
  }
}

/**
 * Lists the selectors of an entry that name the publisher, as if they named no other: what they say about
 * others is not part of its grant, and a network names thousands.
 */
function listSelectors(
  domain: Domain,
  entry: AgentEntry,
): AuthorizationRow['publisher_properties'] {
  if (entry.authorization_type !== 'publisher_properties') return null
  const own = (entry.publisher_properties ?? [])
    .filter(({ publisher_domains }) => publisher_domains.includes(domain))
    .map(({ selection_type, property_ids, property_tags }) => ({
      publisher_domain: domain,
      selection_type,
      ...(property_ids && { property_ids: [...property_ids].sort() }),
      ...(property_tags && { property_tags: [...property_tags].sort() }),
    }))
  return sortBy(own, selector => JSON.stringify(selector))
}

export function readCollections({ collections }: AgentEntry): AuthorizationRow['collections'] {
  const sets = collections?.map(({ publisher_domain, collection_ids }) => ({
    publisher_domain,
    collection_ids: [...collection_ids].sort(),
  }))
  return sortBy(sets, ({ publisher_domain }) => publisher_domain)
}
