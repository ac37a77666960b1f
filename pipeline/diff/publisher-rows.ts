import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { AuthorizationRow, CollectionRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import type { NoPublisher, PublisherFacts } from '../resolve/publisher.ts'
import { emptyCatalog } from '../resolve/publisher-catalog.ts'
import { buildAuthorizationRows } from './authorizations.ts'
import { buildCollectionRows, toRemovedRow } from './collections.ts'
import { type Merges, mergeEntries, noMerges } from './merges.ts'
import { assignRids } from './property-identity.ts'
import { buildPropertyRow, toStaleRow } from './property-rows.ts'
import { hashFields } from './publisher-fields.ts'
import { REACH_FORMAT } from './reach.ts'
import { sortDistinct } from './sets.ts'
import type { RowStamp } from './stamp.ts'

/** Everything the index holds of one publisher. */
export interface PublisherRows {
  publisher: PublisherRow | undefined
  properties: PropertyRow[]
  authorizations: AuthorizationRow[]
  collections: CollectionRow[]
  merges?: Merges
}

/**
 * Builds the rows of a publisher from its facts and its rows until now. Properties keep their rid and are never
 * dropped: one that the file no longer lists, or whose file fails, is stale. `known` are the rows by which
 * entries are recognized, if these are others than the current ones.
 */
export function buildPublisherRows(
  domain: Domain,
  facts: PublisherFacts,
  before: PublisherRows,
  stamp: RowStamp,
  known: readonly PropertyRow[] = before.properties,
): PublisherRows {
  const { merges = noMerges } = before
  const rids = assignRids(known, facts.properties, stamp.mint, merges.canonical)
  const old = new Map(before.properties.map(row => [row.property_rid, row]))
  const selectable = new Set(rids.slice(0, facts.selectable))
  const listed = new Map(
    [...mergeEntries(facts.properties, rids, before.properties, merges)].map(([rid, entry]) => [
      rid,
      {
        ...buildPropertyRow(domain, entry, rid, facts, old.get(rid), stamp),
        inline_only: selectable.has(rid) ? null : (true as const),
      },
    ]),
  )
  const unlisted = before.properties
    .filter(row => !listed.has(row.property_rid))
    .map(row => toStaleRow(row, facts.revoked ? 'revoked' : 'not_listed', stamp))
  const properties = [...listed.values(), ...unlisted]
  const authorizations =
    facts.validity === 'expired'
      ? []
      : buildAuthorizationRows(domain, facts, rids, before.authorizations, stamp)
  const listing = facts.validity === 'expired' ? [] : facts.collections
  const collections = buildCollectionRows(domain, listing, before.collections, stamp, merges)
  const owned = { properties, authorizations, collections }
  return { publisher: buildPublisherRow(domain, facts, owned, before, stamp), ...owned }
}

/**
 * Builds the rows of a publisher that has no file anymore: its grants end, its properties are stale and its
 * collections removed. These rows keep their ids.
 */
export function buildOrphanedRows(
  { revoked }: NoPublisher,
  before: PublisherRows & { publisher: PublisherRow },
  stamp: RowStamp,
): PublisherRows {
  const none = {
    agent_count: 0,
    property_count: 0,
    collection_count: 0,
    listed_agents: [],
    placement_count: 0,
    format_count: 0,
    catalog: { formats: [], placements: [] },
    reach_format: REACH_FORMAT,
  }
  const stamped = { changed_at: toIso(stamp.now), seq: stamp.seq }
  const reason = revoked ? 'revoked' : 'validation_failed'
  return {
    publisher: { ...before.publisher, valid: false, ...none, ...stamped },
    properties: before.properties.map(row => toStaleRow(row, reason, stamp)),
    authorizations: [],
    collections: before.collections.map(row => toRemovedRow(row, stamp)),
  }
}

/** Lists the agents with a grant in force. */
export function listGranted(rows: readonly AuthorizationRow[]): ReadonlySet<string> {
  return new Set(rows.filter(row => row.in_force).map(row => row.agent_url))
}

/** Lists agents that are listed without a grant now: a listing lasts as long as a grant would. */
function listListedAgents(
  { validity, listed }: PublisherFacts,
  authorizations: readonly AuthorizationRow[],
  granted: ReadonlySet<string>,
): string[] {
  if (validity === 'expired') return []
  const all = [...listed, ...authorizations.map(row => row.agent_url)]
  return sortDistinct(all.filter(agent => !granted.has(agent)))
}

function countActive(rows: readonly { status: string }[]): number {
  return rows.filter(row => row.status === 'active').length
}

function buildPublisherRow(
  domain: Domain,
  facts: PublisherFacts,
  { properties, authorizations, collections }: Omit<PublisherRows, 'publisher'>,
  before: PublisherRows,
  { now, seq }: RowStamp,
): PublisherRow {
  const catalog = facts.validity === 'expired' ? emptyCatalog : facts.catalog
  const granted = listGranted(authorizations)
  return {
    domain,
    valid: facts.validity === 'valid' && facts.is_usable,
    discovery_method: facts.discovery_method,
    manager_domain: facts.manager_domain ?? null,
    resolved_location: facts.resolved_location,
    agent_count: granted.size,
    property_count: countActive(properties),
    collection_count: countActive(collections),
    placement_count: catalog.placements.length,
    format_count: catalog.formats.length,
    signal_count: facts.signal_count,
    fields: hashFields(domain, facts),
    catalog: {
      formats: [...catalog.formats],
      placements: [...catalog.placements],
      ...(catalog.left_out && { left_out: [...catalog.left_out] }),
    },
    listed_agents: listListedAgents(facts, authorizations, granted),
    reach_format: REACH_FORMAT,
    discovered_at: before.publisher?.discovered_at ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }
}
