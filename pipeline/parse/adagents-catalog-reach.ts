import type { AgentEntry, PlacementEntry, PropertyEntry } from '../model/documents/index.ts'
import type { Accepted } from './accepted-items.ts'
import type { ObjectReader } from './object-reader.ts'

/**
 * Bytes of the placements and formats of one file, counted again for every publisher on whose properties
 * they are: each publisher that points to the file stores its own. Enough for a network of 6,800 publishers
 * with twenty placements each.
 */
const CATALOG_BYTES_MAX = 64 * 1024 * 1024

/** Limits the placements and formats of a file: from the first one beyond the limit on they are left out. */
export function limitCatalog(
  root: ObjectReader,
  { placements, formats }: { placements: Accepted<PlacementEntry>[]; formats: ObjectReader[] },
  properties: readonly PropertyEntry[],
  agents: readonly Accepted<AgentEntry>[],
): { placements: Accepted<PlacementEntry>[]; formats: ObjectReader[] } {
  const inline = agents.flatMap(({ item }) => item.properties ?? [])
  const reach = new PublisherReach([...properties, ...inline])
  if (reach.total < 2) return { placements, formats }
  const budget = { bytes: CATALOG_BYTES_MAX }
  const placed = takeWithin(budget, placements, ({ part, item }) => [
    part,
    reach.count(item.property_ids ?? [], item.property_tags ?? []),
  ])
  const declared = takeWithin(budget, formats, part => [part, countPublishers(part, reach)])
  report(root, 'placements', placements, placed)
  report(root, 'formats', formats, declared)
  return { placements: placed, formats: declared }
}

/** Counts the publishers that a format applies to: all, if it names no properties. */
function countPublishers({ value }: ObjectReader, reach: PublisherReach): number {
  const { applies_to_property_ids: ids, applies_to_property_tags: tags } = value
  if (ids === undefined && tags === undefined) return reach.total
  return reach.count(Array.isArray(ids) ? ids : [], Array.isArray(tags) ? tags : [])
}

function takeWithin<Item>(
  budget: { bytes: number },
  items: Item[],
  measureReach: (item: Item) => [part: ObjectReader, publishers: number],
): Item[] {
  const over = items.findIndex(item => {
    const [{ value }, publishers] = measureReach(item)
    if (publishers > 0) budget.bytes -= Buffer.byteLength(JSON.stringify(value)) * publishers
    return budget.bytes < 0
  })
  return over === -1 ? items : items.slice(0, over)
}

function report(
  root: ObjectReader,
  key: 'placements' | 'formats',
  all: readonly unknown[],
  accepted: readonly unknown[],
): void {
  if (accepted.length === all.length) return
  root.faults.leftOut.add(key)
  root.error(
    key,
    'too_broad',
    `come to more than ${CATALOG_BYTES_MAX} bytes, counted for each publisher: ${all.length - accepted.length} were left out`,
  )
}

/** Counts publishers that have properties of an id or a tag. */
class PublisherReach {
  readonly total: number
  readonly #byId = new Map<unknown, Set<string>>()
  readonly #byTag = new Map<unknown, Set<string>>()

  constructor(properties: readonly PropertyEntry[]) {
    const publishers = new Set<string>()
    for (const { publisher_domain = '', property_id, tags } of properties) {
      publishers.add(publisher_domain)
      if (property_id !== undefined) note(this.#byId, property_id, publisher_domain)
      for (const tag of tags) note(this.#byTag, tag, publisher_domain)
    }
    this.total = publishers.size
  }

  /**
   * Counts at most as many publishers as there are; those with several of these names may be counted more
   * than once.
   */
  count(ids: readonly unknown[], tags: readonly unknown[]): number {
    const byId = ids.reduce((sum: number, id) => sum + (this.#byId.get(id)?.size ?? 0), 0)
    const byTag = tags.reduce((sum: number, tag) => sum + (this.#byTag.get(tag)?.size ?? 0), 0)
    return Math.min(byId + byTag, this.total)
  }
}

function note(publishers: Map<unknown, Set<string>>, name: string, publisher: string): void {
  const known = publishers.get(name)
  if (known) known.add(publisher)
  else publishers.set(name, new Set([publisher]))
}
