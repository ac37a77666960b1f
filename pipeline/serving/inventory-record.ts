import type { Identifier, LeftOutList, PlacementEntry } from '../model/documents/index.ts'
import { type GrantScope, toGrantScope } from '../model/grant-scope.ts'
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
  /** Present if the entry claims to be the only one. */
  exclusive?: true
  /** Index in `sets`; `all` for every active property. */
  reach: number | 'all'
  /** Rids of other publishers’ properties into which some of this one’s were merged. */
  elsewhere?: string[]
}

/** Inventory of a publisher by which sales are judged, with grants whose window is not open. */
export interface StoredInventory {
  publisher_domain: string
  valid: boolean
  /**
   * Agents with any grant, by their first entry; present if every grant covers all active properties without
   * time limits or terms. Then a sale is decided by the members up to `property_count`, whose order
   * `plain-sales.ts` relies on.
   */
  sellers?: string[]
  discovery_method: string
  manager_domain: string | null
  resolved_location: string
  property_count: number
  properties: StoredProperty[]
  /** Positions in `properties` that grants reach: each list once for all grants of it. */
  sets: number[][]
  grants: StoredGrant[]
  placements: Placed[]
  /** Lists of the file that were not read as a whole. */
  left_out?: LeftOutList[]
}

export interface InventoryRows {
  publisher: PublisherRow
  /** Active ones first; without aliases. */
  properties: readonly PropertyRow[]
  /** Authorizations, whether in force or not. */
  authorizations: readonly AuthorizationRow[]
}

/** Builds the inventory of a publisher from its rows. */
export function buildInventory({
  publisher,
  properties,
  authorizations,
}: InventoryRows): StoredInventory {
  const reach = new GrantReach(properties, publisher.property_count)
  const grants = authorizations.map(row => toStoredSale(row, reach.encodeReach(row)))
  const { sets } = reach
  const { left_out } = publisher.catalog
  // Whether another agent can sell is not known where a part was left out.
  const sellers = left_out ? undefined : listPlainSellers({ properties, grants, sets })
  return {
    publisher_domain: publisher.domain,
    valid: publisher.valid,
    ...(sellers && { sellers }),
    discovery_method: publisher.discovery_method,
    manager_domain: publisher.manager_domain,
    resolved_location: publisher.resolved_location,
    property_count: publisher.property_count,
    properties: properties.map(toStoredProperty),
    sets,
    grants,
    placements: (publisher.catalog.placements as PlacementEntry[]).map(
      ({ placement_id, tags, property_ids, property_tags, collection_ids }) => ({
        placement_id,
        tags,
        property_ids,
        property_tags,
        collection_ids,
      }),
    ),
    ...(left_out && { left_out }),
  }
}

function toStoredProperty(row: PropertyRow): StoredProperty {
  const { property_rid, property_id, property_type, name, identifiers, tags, status } = row
  return { property_rid, property_id, property_type, name, identifiers, tags, status }
}

/** Computes what the grants of one publisher reach, each property set once. */
class GrantReach {
  readonly sets: number[][] = []
  readonly #positions: ReadonlyMap<string, number>
  readonly #active: number
  readonly #reachByName = new Map<string | null, Pick<StoredGrant, 'reach' | 'elsewhere'>>()

  constructor(properties: readonly PropertyRow[], active: number) {
    this.#positions = new Map(properties.map((row, i) => [row.property_rid, i]))
    this.#active = active
  }

  encodeReach(row: AuthorizationRow): Pick<StoredGrant, 'reach' | 'elsewhere'> {
    const name = `${row.property_set} ${row.publisher_wide}`
    const reach = this.#reachByName.get(name) ?? this.#make(row)
    this.#reachByName.set(name, reach)
    return reach
  }

  #make({ property_rids, publisher_wide }: AuthorizationRow) {
    const own = property_rids.flatMap(rid => this.#positions.get(rid) ?? []).sort((a, b) => a - b)
    const elsewhere = property_rids.filter(rid => !this.#positions.has(rid))
    if (publisher_wide && elsewhere.length === 0 && own.length === this.#active) {
      return { reach: 'all' as const }
    }
    const reach = this.sets.push(own) - 1
    return { reach, ...(elsewhere.length > 0 && { elsewhere }) }
  }
}

function toStoredSale(
  row: AuthorizationRow,
  reach: Pick<StoredGrant, 'reach' | 'elsewhere'>,
): StoredGrant {
  return {
    agent_url: row.agent_url,
    entry: row.entry,
    authorization_type: row.authorization_type,
    authorized_for: row.authorized_for,
    in_force: row.in_force,
    has_keys: (row.signing_keys ?? []).length > 0,
    ...(row.exclusive && { exclusive: true }),
    delegation_type: row.delegation_type,
    countries: row.countries,
    placement_ids: row.placement_ids,
    placement_tags: row.placement_tags,
    collections: row.collections,
    effective_from: row.effective_from,
    effective_until: row.effective_until,
    ...reach,
  }
}

/**
 * Reach of an agent at a publisher by grants in force, as lists of an agent's publishers show it.
 */
export interface StoredReach extends GrantScope {
  publisher_domain: string
  discovery_method: string
  manager_domain: string | null
  /** Number of properties with an id of their own. */
  properties_authorized: number
  /** Number of further properties, which have no id; absent for 0. */
  properties_without_id?: number
  properties_total: number
  signing_keys_pinned: boolean
  /** For what, in the publisher's words. */
  authorized_for: string | null
  /** The file whose last reading confirmed it. */
  verified_by: string
  /** Number of active properties, where all of them are granted to the agent without a window. */
  sold?: number
}

interface InventoryGrants {
  properties: readonly Pick<StoredProperty, 'status'>[]
  grants: readonly StoredGrant[]
  sets: readonly number[][]
}

/**
 * Lists the agents with a grant of all active properties of a publisher, as long as no time limit
 * is involved: answers about them need nothing else of the publisher.
 */
export function listWholeSales({ properties, grants, sets }: InventoryGrants): Map<string, number> {
  const active = properties.flatMap(({ status }, i) => (status === 'active' ? [i] : []))
  if (active.length === 0 || grants.some(isTimed)) return new Map()
  const known = new Map<string, boolean>()
  const sales = [...Map.groupBy(grants, ({ agent_url }) => agent_url)].filter(([, own]) => {
    if (!own.every(grant => grant.in_force)) return false
    if (own.some(({ reach }) => reach === 'all')) return true
    const named = [...new Set(own.map(({ reach }) => reach as number))].sort((a, b) => a - b)
    const name = named.join()
    const isWhole =
      known.get(name) ??
      isReached(
        active,
        // biome-ignore lint/style/noNonNullAssertion: places are indexes of the sets
        named.map(place => sets[place]!),
      )
    known.set(name, isWhole)
    return isWhole
  })
  return new Map(sales.map(([agent]) => [agent, active.length]))
}

function isReached(active: readonly number[], lists: readonly number[][]): boolean {
  const [list, ...others] = lists
  if (list !== undefined && others.length === 0 && list.length < active.length) return false
  const reached = new Set<number>()
  for (const list of lists) for (const position of list) reached.add(position)
  return active.every(position => reached.has(position))
}

/** Maximum number of grants that are examined: the list is short, or there is none. */
const GRANTS_EXAMINED_MAX = 100

function listPlainSellers(selling: InventoryGrants): string[] | undefined {
  const { grants } = selling
  if (grants.length > GRANTS_EXAMINED_MAX || !grants.every(isPlain)) return undefined
  const agents = new Set(grants.map(({ agent_url }) => agent_url))
  return listWholeSales(selling).size === agents.size ? [...agents] : undefined
}

/** Tells whether a grant reaches its publisher's own properties, on any terms. */
function isPlain(grant: StoredGrant): boolean {
  const { countries, placement_ids, placement_tags, collections, elsewhere } = grant
  const isAnywhere = countries === null && collections === null
  return isAnywhere && placement_ids === null && placement_tags === null && elsewhere === undefined
}

/** Builds what each agent reaches by grants in force, by agent. */
export function buildReaches(rows: InventoryRows): Map<string, StoredReach> {
  const { publisher, properties, authorizations } = rows
  const active = properties.filter(row => row.status === 'active')
  const all = new Set(active.map(row => row.property_rid))
  const withId = new Set(
    active.filter(row => row.property_id !== null).map(row => row.property_rid),
  )
  const known = new Map<string, readonly [withId: number, withoutId: number]>()
  const inForce = authorizations.filter(row => row.in_force)
  const reaches = [...Map.groupBy(inForce, row => row.agent_url)].map(
    ([agent_url, grants]): [string, StoredReach] => {
      const name = [...new Set(grants.map(grant => grant.property_set))].sort().join()
      const counted = known.get(name) ?? countBoth(grants, withId, all)
      known.set(name, counted)
      const [authorized, properties_without_id] = counted
      return [
        agent_url,
        {
          publisher_domain: publisher.domain,
          discovery_method: publisher.discovery_method,
          manager_domain: publisher.manager_domain,
          properties_authorized: authorized,
          ...(properties_without_id > 0 && { properties_without_id }),
          properties_total: publisher.property_count,
          signing_keys_pinned: grants.some(grant => (grant.signing_keys ?? []).length > 0),
          authorized_for:
            grants.find(grant => grant.authorized_for !== null)?.authorized_for ?? null,
          ...toGrantScope(grants),
          verified_by: publisher.resolved_location,
        },
      ]
    },
  )
  return new Map(reaches)
}

function countBoth(
  grants: readonly AuthorizationRow[],
  withId: ReadonlySet<string>,
  all: ReadonlySet<string>,
): [withId: number, withoutId: number] {
  const authorized = countReached(grants, withId)
  return [authorized, withId.size === all.size ? 0 : countReached(grants, all) - authorized]
}

/** Counts the properties that the grants reach together; a set that they share is counted once. */
export function countReached(
  grants: readonly AuthorizationRow[],
  among: ReadonlySet<string>,
): number {
  const lists = new Set(grants.map(grant => grant.property_rids))
  const reached = new Set<string>()
  for (const list of lists) for (const rid of list) if (among.has(rid)) reached.add(rid)
  return reached.size
}
