import type { ForSale, GrantInForce, PublisherSide } from '../../resolve/authority.ts'
import { isTimed } from '../../resolve/sale-terms.ts'
import { HEAD_LENGTH } from '../../serving/document-value.ts'
import type {
  StoredGrant,
  StoredInventory,
  StoredProperty,
} from '../../serving/inventory-record.ts'
import { type PlainSales, readPlainSales } from '../../serving/plain-sales.ts'
import { declareCache } from '../cache/caches.ts'
import { DocumentCache } from '../cache/document-cache.ts'
import type { Reader } from '../reader.ts'

const CACHE_BYTES_MAX = 32 * 1024 * 1024
/** Largest inventory that is searched as text; a larger one is parsed, and cached on its second request. */
const TEXT_BYTES_MAX = 16 * 1024

/** A property with the fields that answers show. */
export type StockedProperty = ForSale & Pick<StoredProperty, 'property_type' | 'name' | 'status'>

/** A stored grant, prepared for judging a sale. */
export type StockedGrant = GrantInForce & Pick<StoredGrant, 'in_force' | 'reach'>

/**
 * Inventory of a publisher: its properties and grants. Each index is built when it is first used, since
 * many questions need one property, or none.
 */
export class Inventory {
  readonly stored: StoredInventory
  #properties: readonly StockedProperty[] | undefined
  #positionsByRid: ReadonlyMap<string, number> | undefined
  #grantsByAgent: ReadonlyMap<string, StoredGrant[]> | undefined
  #isTimed: boolean | undefined
  readonly #preparedGrants = new Map<string, StockedGrant[]>()
  readonly #preparedSets: ReadonlySet<number>[] = []
  readonly #staleInSets: (readonly number[])[] = []

  constructor(stored: StoredInventory) {
    this.stored = stored
  }

  get properties(): readonly StockedProperty[] {
    this.#properties ??= this.stored.properties.map(property => ({
      ...property,
      publisher_domain: this.stored.publisher_domain,
      is_active: property.status === 'active',
    }))
    return this.#properties
  }

  /** Tells whether any grant has a window, so that answers depend on the time. */
  get isTimed(): boolean {
    this.#isTimed ??= this.stored.grants.some(isTimed)
    return this.#isTimed
  }

  get #positions(): ReadonlyMap<string, number> {
    this.#positionsByRid ??= new Map(
      this.stored.properties.map(({ property_rid }, position) => [property_rid, position]),
    )
    return this.#positionsByRid
  }

  get #stored(): ReadonlyMap<string, StoredGrant[]> {
    this.#grantsByAgent ??= Map.groupBy(this.stored.grants, grant => grant.agent_url)
    return this.#grantsByAgent
  }

  get agents(): Iterable<string> {
    return this.#stored.keys()
  }

  property(rid: string): StockedProperty | undefined {
    const position = this.#positions.get(rid)
    return position === undefined ? undefined : this.properties[position]
  }

  /** Finds the publisher's grants to an agent, whether their windows are open or not. */
  grantsTo(agentUrl: string): readonly StockedGrant[] {
    const known = this.#preparedGrants.get(agentUrl)
    if (known !== undefined) return known
    const stored = this.#stored.get(agentUrl)
    if (stored === undefined) return []
    const grants = stored.map(grant => ({
      ...grant,
      reaches: toReaches(grant, this.stored.publisher_domain, this.#positions, place =>
        this.#setAt(place),
      ),
    }))
    this.#preparedGrants.set(agentUrl, grants)
    return grants
  }

  /** Returns a property set prepared for lookups: one for all grants that share it. */
  #setAt(place: number): ReadonlySet<number> {
    const known = this.#preparedSets[place] ?? new Set(this.stored.sets[place])
    this.#preparedSets[place] = known
    return known
  }

  /** Counts the stale properties of the publisher that grants in force to an agent reach. */
  countStale(agentUrl: string): number {
    const places = new Set(
      this.grantsTo(agentUrl).flatMap(({ in_force, reach }) =>
        in_force && reach !== 'all' ? [reach] : [],
      ),
    )
    const [first = [], ...others] = [...places].map(place => this.#listStale(place))
    return others.length === 0 ? first.length : new Set([first, ...others].flat()).size
  }

  #listStale(place: number): readonly number[] {
    this.#staleInSets[place] ??= (this.stored.sets[place] ?? []).filter(
      position => this.stored.properties[position]?.status === 'stale',
    )
    return this.#staleInSets[place]
  }

  granting(agentUrl: string): PublisherSide {
    const { publisher_domain: domain, valid, placements, left_out } = this.stored
    const grants = this.grantsTo(agentUrl)
    return { domain, is_known: valid || grants.length > 0, placements, grants, left_out }
  }
}

function toReaches(
  { reach, elsewhere }: StoredGrant,
  publisher: string,
  positions: ReadonlyMap<string, number>,
  setAt: (place: number) => ReadonlySet<number>,
): GrantInForce['reaches'] {
  const reached = reach === 'all' ? undefined : setAt(reach)
  return ({ publisher_domain, property_rid, is_active }) => {
    if (publisher_domain !== publisher) return elsewhere?.includes(property_rid) ?? false
    const position = positions.get(property_rid)
    if (position === undefined) return false
    return reached === undefined ? is_active : reached.has(position)
  }
}

const inventories = declareCache(
  () =>
    new DocumentCache('inventory', CACHE_BYTES_MAX, json => new Inventory(json as StoredInventory)),
)

/** Finds the inventory of a domain; undefined if its file was never understood. */
export function findInventory(reader: Reader, domain: string): Inventory | undefined {
  const store = reader.serving
  return store && inventories(reader).get(store, domain)
}

/**
 * Finds the plain sales of a publisher without parsing its inventory. Undefined if its grants differ, and if
 * the inventory is large or cached, since then `findInventory` costs less.
 */
export function findPlainSales(reader: Reader, domain: string): PlainSales | undefined {
  const { serving } = reader
  if (serving === undefined || inventories(reader).has(serving, domain)) return undefined
  const value = serving.peek('inventory', domain)
  if (value === undefined || value.length > TEXT_BYTES_MAX) return undefined
  return readPlainSales(value.toString('utf8', HEAD_LENGTH, value.length), domain)
}

/** Builds the side of an unknown publisher. */
export function buildUnknownGranting(domain: string): PublisherSide {
  return { domain, is_known: false, placements: [], grants: [] }
}
