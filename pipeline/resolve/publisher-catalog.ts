import type {
  AsWritten,
  LeftOutList,
  PlacementEntry,
  PropertyEntry,
} from '../model/documents/index.ts'
import type { AdagentsInlineDocument } from './grant.ts'

/** The formats and placements of a file as far as they are about one publisher, as the file orders them. */
export interface Catalog {
  formats: readonly AsWritten[]
  placements: readonly PlacementEntry[]
  /** Lists of the file that were not read as a whole. */
  left_out?: readonly LeftOutList[]
}

export const emptyCatalog: Catalog = { formats: [], placements: [] }

/**
 * Finds the formats and placements of a publisher in a file. In its own file all of them are its own. In a file
 * that several publishers share, a placement belongs to those on whose properties it is, and a format to those
 * to whose properties it applies; a format that names no properties applies to all.
 */
export function findCatalog(
  { formats, placements }: Pick<AdagentsInlineDocument, 'formats' | 'placements'>,
  properties: readonly PropertyEntry[],
  isShared: boolean,
): Catalog {
  if (!isShared) return { formats, placements }
  if (properties.length === 0) return emptyCatalog
  return {
    formats: selectItems(properties, formats, findApplicability),
    placements: selectItems(properties, placements, findProperties),
  }
}

/** Properties that an item names, by id and by tag. */
interface IdAndTags {
  ids: readonly unknown[]
  tags: readonly unknown[]
}

function findProperties({ property_ids = [], property_tags = [] }: PlacementEntry): IdAndTags {
  return { ids: property_ids, tags: property_tags }
}

/**
 * Reads which properties a format applies to. Formats are unchecked: a member that is no list names nothing.
 */
function findApplicability(format: AsWritten): IdAndTags | undefined {
  const { applies_to_property_ids: ids, applies_to_property_tags: tags } = format
  if (ids === undefined && tags === undefined) return undefined
  return { ids: Array.isArray(ids) ? ids : [], tags: Array.isArray(tags) ? tags : [] }
}

/** Positions of the items in a list, by the properties that they name. */
interface Positions {
  /** Items that are about all properties. */
  everywhere: readonly number[]
  byId: ReadonlyMap<unknown, readonly number[]>
  byTag: ReadonlyMap<unknown, readonly number[]>
}

/** Positions of the lists of shared files, which are read for thousands of publishers. */
const positionsByList = new WeakMap<readonly object[], Positions>()

/** Selects the items about any of these properties, in their order. `identify` returns undefined for all. */
function selectItems<Item extends object>(
  properties: readonly PropertyEntry[],
  items: readonly Item[],
  identify: (item: Item) => IdAndTags | undefined,
): Item[] {
  if (items.length === 0) return []
  const positions = positionsByList.get(items) ?? findPositions(items, identify)
  positionsByList.set(items, positions)
  const found = new Set(positions.everywhere)
  for (const { property_id, tags } of properties) {
    for (const position of positions.byId.get(property_id) ?? []) found.add(position)
    for (const tag of tags)
      for (const position of positions.byTag.get(tag) ?? []) found.add(position)
  }
  // biome-ignore lint/style/noNonNullAssertion: positions are indexes of the items
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
