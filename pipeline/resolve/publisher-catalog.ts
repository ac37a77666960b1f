import type { AsWritten, PlacementEntry, PropertyEntry } from '../model/documents/index.ts'
import type { AdagentsInlineDocument } from './grant.ts'

/** The formats and placements of a file as far as they are about one publisher, as the file orders them. */
export interface Catalog {
  formats: readonly AsWritten[]
  placements: readonly PlacementEntry[]
}

export const emptyCatalog: Catalog = { formats: [], placements: [] }

/**
 * Finds what a file says of a publisher's formats and placements. In its own file all of them are its own.
 * In a file that it shares with others a placement is of the publishers on whose properties it is, and a
 * format of those to whose properties it applies; one that names no properties applies to all.
 */
export function findCatalog(
  { formats, placements }: Pick<AdagentsInlineDocument, 'formats' | 'placements'>,
  properties: readonly PropertyEntry[],
  isShared: boolean,
): Catalog {
  if (!isShared) return { formats, placements }
  if (properties.length === 0) return emptyCatalog
  return {
    formats: selectAbout(properties, formats, findApplicability),
    placements: selectAbout(properties, placements, isOn),
  }
}

/** Properties that an item names; undefined where it is about all of them. */
interface IdAndTags {
  ids: readonly unknown[]
  tags: readonly unknown[]
}

function isOn({ property_ids = [], property_tags = [] }: PlacementEntry): IdAndTags {
  return { ids: property_ids, tags: property_tags }
}

/** Formats are kept as written, so the lists may be anything. What is there and no list names nothing. */
function findApplicability(format: AsWritten): IdAndTags | undefined {
  const { applies_to_property_ids: ids, applies_to_property_tags: tags } = format
  if (ids === undefined && tags === undefined) return undefined
  return { ids: Array.isArray(ids) ? ids : [], tags: Array.isArray(tags) ? tags : [] }
}

/** Places in a list by what the items there name. */
interface Positions {
  everywhere: readonly number[]
  byId: ReadonlyMap<unknown, readonly number[]>
  byTag: ReadonlyMap<unknown, readonly number[]>
}

/** A shared file is read for thousands of publishers: its lists are sorted once, not once for each. */
const known = new WeakMap<readonly object[], Positions>()

function selectAbout<Item extends object>(
  properties: readonly PropertyEntry[],
  items: readonly Item[],
  identify: (item: Item) => IdAndTags | undefined,
): Item[] {
  if (items.length === 0) return []
  const positions = known.get(items) ?? findPositions(items, identify)
  known.set(items, positions)
  const found = new Set(positions.everywhere)
  for (const { property_id, tags } of properties) {
    for (const position of positions.byId.get(property_id) ?? []) found.add(position)
    for (const tag of tags)
      for (const position of positions.byTag.get(tag) ?? []) found.add(position)
  }
  return [...found].sort((a, b) => a - b).map(position => items[position]!)
}

function findPositions<Item extends object>(
  items: readonly Item[],
  identify: (item: Item) => IdAndTags | undefined,
): Positions {
  const everywhere: number[] = []
  const byId = new Map<unknown, number[]>()
  const byTag = new Map<unknown, number[]>()
  for (const [position, item] of items.entries()) {
    const names = identify(item)
    if (names === undefined) everywhere.push(position)
    for (const id of names?.ids ?? []) addPosition(byId, id, position)
    for (const tag of names?.tags ?? []) addPosition(byTag, tag, position)
  }
  return { everywhere, byId, byTag }
}

function addPosition(positions: Map<unknown, number[]>, name: unknown, position: number): void {
  const list = positions.get(name)
  if (list) list.push(position)
  else positions.set(name, [position])
}
