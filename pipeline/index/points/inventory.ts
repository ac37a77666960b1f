import { groupBy } from '../../core/group.ts'
import type { ForSale, GrantInForce, Granting } from '../../resolve/authority.ts'
import { isTimed } from '../../resolve/sale-terms.ts'
import type { StoredGrant, StoredInventory, StoredProperty } from '../inventory-value.ts'
import type { Reader } from '../reader.ts'
import { Parsed } from './parsed.ts'

const KEPT_BYTES = 32 * 1024 * 1024

/** A property with what answers show of it. */
export type StockedProperty = ForSale & Pick<StoredProperty, 'property_type' | 'name' | 'status'>

/** A grant as it is kept, ready to be judged. */
export type StockedGrant = GrantInForce & Pick<StoredGrant, 'in_force'>

/** What a publisher has for sale and to whom it grants it. */
export class Inventory {
  readonly stored: StoredInventory
  readonly properties: readonly StockedProperty[]
  /** What it grants depends on when that is asked for. */
  readonly isTimed: boolean
  readonly #positions: ReadonlyMap<string, number>
  readonly #stored: ReadonlyMap<string, StoredGrant[]>
  readonly #grants = new Map<string, StockedGrant[]>()

  constructor(stored: StoredInventory) {
    this.stored = stored
    this.properties = stored.properties.map(property => ({
      ...property,
      publisher_domain: stored.publisher_domain,
      is_active: property.status === 'active',
    }))
    this.isTimed = stored.grants.some(isTimed)
    this.#positions = new Map(this.properties.map((one, i) => [one.property_rid, i]))
    this.#stored = groupBy(stored.grants, grant => grant.agent_url)
  }

  get agents(): Iterable<string> {
    return this.#stored.keys()
  }

  property(rid: string): StockedProperty | undefined {
    const position = this.#positions.get(rid)
    return position === undefined ? undefined : this.properties[position]
  }

  /** Its grants to an agent, whose windows are open or not. */
  grantsTo(agentUrl: string): readonly StockedGrant[] {
    const known = this.#grants.get(agentUrl)
    if (known !== undefined) return known
    const stored = this.#stored.get(agentUrl)
    if (stored === undefined) return []
    const grants = stored.map(grant => ({
      ...grant,
      reaches: reachOf(grant, this.stored.publisher_domain, this.#positions),
    }))
    this.#grants.set(agentUrl, grants)
    return grants
  }

  granting(agentUrl: string): Granting {
    const { publisher_domain: domain, valid, placements } = this.stored
    const grants = this.grantsTo(agentUrl)
    return { domain, is_known: valid || grants.length > 0, placements, grants }
  }
}

function reachOf(
  { reach, elsewhere }: StoredGrant,
  publisher: string,
  positions: ReadonlyMap<string, number>,
): GrantInForce['reaches'] {
  const reached = reach === 'all' ? undefined : new Set(reach)
  return ({ publisher_domain, property_rid, is_active }) => {
    if (publisher_domain !== publisher) return elsewhere?.includes(property_rid) ?? false
    const position = positions.get(property_rid)
    if (position === undefined) return false
    return reached === undefined ? is_active : reached.has(position)
  }
}

const parsed = new Parsed('inventory', KEPT_BYTES, json => new Inventory(json as StoredInventory))

/** Undefined of a domain whose file was never understood. */
export function findInventory(reader: Reader, domain: string): Inventory | undefined {
  const store = reader.serving
  return store && parsed.get(store, domain)
}

/** Whether it is parsed already, so that nothing costs less than to look there. */
export function isInventoryKept({ serving }: Reader, domain: string): boolean {
  return serving !== undefined && parsed.keeps(serving, domain)
}

/** The side of a publisher nobody knows. */
export function unknownGranting(domain: string): Granting {
  return { domain, is_known: false, placements: [], grants: [] }
}
