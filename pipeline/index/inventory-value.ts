import { groupBy } from '../core/group.ts'
import type { Identifier, PlacementEntry } from '../model/documents.ts'
import type { AuthorizationRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import { isTimed, type Placed, type Restrictions } from '../resolve/sale-terms.ts'

export interface StoredProperty {
  property_rid: string
  property_id: string | null
  property_type: string
  name: string
  identifiers: Identifier[]
  tags: string[]
  status: PropertyRow['status']
}

export interface StoredGrant extends Restrictions {
  agent_url: string
  entry: number
  authorization_type: string
  authorized_for: string | null
  in_force: boolean
  has_keys: boolean
  /** Positions in `properties`; `all` for every active one. */
  reach: number[] | 'all'
  /** Properties of other publishers, that some of this one's were merged into. */
  elsewhere?: string[]
}

/** What is kept of a publisher to judge sales by: all of it, with grants whose window is not open. */
export interface StoredInventory {
  publisher_domain: string
  valid: boolean
  /**
   * The agents it grants anything, by their first entry, where each is granted all active properties for
   * good and on any terms: of such a publisher hardly more need be read. Stands near the beginning.
   */
  sellers?: string[]
  discovery_method: string
  manager_domain: string | null
  resolved_location: string
  property_count: number
  properties: StoredProperty[]
  grants: StoredGrant[]
  placements: Placed[]
}

export interface InventoryRows {
  publisher: PublisherRow
  /** Active ones first; without aliases. */
  properties: readonly PropertyRow[]
  /** In force or not. */
  authorizations: readonly AuthorizationRow[]
}

export function inventoryOf({
  publisher,
  properties,
  authorizations,
}: InventoryRows): StoredInventory {
  const positions = new Map(properties.map((row, i) => [row.property_rid, i]))
  const grants = authorizations.map(row => storedGrant(row, positions, publisher.property_count))
  const sellers = plainSellers(properties, grants)
  return {
    publisher_domain: publisher.domain,
    valid: publisher.valid,
    ...(sellers && { sellers }),
    discovery_method: publisher.discovery_method,
    manager_domain: publisher.manager_domain,
    resolved_location: publisher.resolved_location,
    property_count: publisher.property_count,
    properties: properties.map(storedProperty),
    grants,
    placements: (publisher.catalog.placements as PlacementEntry[]).map(
      ({ placement_id, tags, property_ids, property_tags }) => ({
        placement_id,
        tags,
        property_ids,
        property_tags,
      }),
    ),
  }
}

function storedProperty(row: PropertyRow): StoredProperty {
  const { property_rid, property_id, property_type, name, identifiers, tags, status } = row
  return { property_rid, property_id, property_type, name, identifiers, tags, status }
}

function storedGrant(
  row: AuthorizationRow,
  positions: ReadonlyMap<string, number>,
  active: number,
): StoredGrant {
  const own = row.property_rids.flatMap(rid => positions.get(rid) ?? []).sort((a, b) => a - b)
  const elsewhere = row.property_rids.filter(rid => !positions.has(rid))
  const isAll = row.publisher_wide && elsewhere.length === 0 && own.length === active
  return {
    agent_url: row.agent_url,
    entry: row.entry,
    authorization_type: row.authorization_type,
    authorized_for: row.authorized_for,
    in_force: row.in_force,
    has_keys: (row.signing_keys ?? []).length > 0,
    delegation_type: row.delegation_type,
    countries: row.countries,
    placement_ids: row.placement_ids,
    placement_tags: row.placement_tags,
    collections: row.collections,
    effective_from: row.effective_from,
    effective_until: row.effective_until,
    reach: isAll ? 'all' : own,
    ...(elsewhere.length > 0 && { elsewhere }),
  }
}

/** What an agent reaches of a publisher by grants in force, as lists of an agent's publishers show it. */
export interface StoredReach {
  publisher_domain: string
  discovery_method: string
  manager_domain: string | null
  /** Only properties with an id of their own are counted. */
  properties_authorized: number
  properties_total: number
  signing_keys_pinned: boolean
  /** For what, in the publisher's words. */
  authorized_for: string | null
  /** The file whose last reading confirmed it. */
  verified_by: string
  /** How many active properties there are, where all of them are granted to the agent for good. */
  sold?: number
}

/**
 * The agents to whom a publisher grants all of its active properties, as long as no time plays a part:
 * what is answered of them needs nothing else of the publisher.
 */
export function wholeSales({
  properties,
  grants,
}: {
  properties: readonly Pick<StoredProperty, 'status'>[]
  grants: readonly StoredGrant[]
}): Map<string, number> {
  const active = properties.flatMap(({ status }, i) => (status === 'active' ? [i] : []))
  if (active.length === 0 || grants.some(isTimed)) return new Map()
  const sales = [...groupBy(grants, ({ agent_url }) => agent_url)].filter(([, own]) => {
    if (!own.every(grant => grant.in_force)) return false
    if (own.some(({ reach }) => reach === 'all')) return true
    const reached = new Set(own.flatMap(({ reach }) => reach as number[]))
    return active.every(position => reached.has(position))
  })
  return new Map(sales.map(([agent]) => [agent, active.length]))
}

/** Many grants are not looked through: the list is short, or there is none. */
const MOST_GRANTS = 100

function plainSellers(
  properties: readonly Pick<StoredProperty, 'status'>[],
  grants: readonly StoredGrant[],
): string[] | undefined {
  if (grants.length > MOST_GRANTS || !grants.every(isPlain)) return undefined
  const agents = new Set(grants.map(({ agent_url }) => agent_url))
  return wholeSales({ properties, grants }).size === agents.size ? [...agents] : undefined
}

/** Of its publisher's own properties, on any terms. */
function isPlain(grant: StoredGrant): boolean {
  const { countries, placement_ids, placement_tags, collections, elsewhere } = grant
  const isAnywhere = countries === null && collections === null
  return isAnywhere && placement_ids === null && placement_tags === null && elsewhere === undefined
}

export function reachesOf(rows: InventoryRows): Map<string, StoredReach> {
  const { publisher, properties, authorizations } = rows
  const withId = new Set(
    properties
      .filter(row => row.property_id !== null && row.status === 'active')
      .map(row => row.property_rid),
  )
  const reaches = new Map<string, StoredReach>()
  const rids = new Map<string, Set<string>>()
  for (const grant of authorizations.filter(row => row.in_force)) {
    const { agent_url } = grant
    const reached = rids.get(agent_url) ?? new Set()
    for (const rid of grant.property_rids) if (withId.has(rid)) reached.add(rid)
    rids.set(agent_url, reached)
    const before = reaches.get(agent_url)
    const pinned = before?.signing_keys_pinned ?? false
    reaches.set(agent_url, {
      publisher_domain: publisher.domain,
      discovery_method: publisher.discovery_method,
      manager_domain: publisher.manager_domain,
      properties_authorized: reached.size,
      properties_total: publisher.property_count,
      signing_keys_pinned: pinned || (grant.signing_keys ?? []).length > 0,
      authorized_for: before?.authorized_for ?? grant.authorized_for,
      verified_by: publisher.resolved_location,
    })
  }
  return reaches
}
