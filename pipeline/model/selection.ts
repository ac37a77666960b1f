import type { PropertyEntry, Selector } from './documents/index.ts'

/** Condition that selects properties of one publisher. */
export interface Predicate extends Pick<Selector, 'selection_type'> {
  property_ids?: readonly string[] | undefined
  property_tags?: readonly string[] | undefined
}

/** Properties that entries select: indexed by name, since an entry and a file may name thousands. */
export class Selectable {
  readonly properties: readonly PropertyEntry[]
  #allPositions: readonly number[] | undefined
  #byId: Positions | undefined
  #byTag: Positions | undefined

  constructor(properties: readonly PropertyEntry[]) {
    this.properties = properties
  }

  /** Returns the positions of the items for which the predicate holds, in order. Equal predicates share a list. */
  select({ selection_type, property_ids, property_tags }: Predicate): readonly number[] {
    switch (selection_type) {
      case 'all':
        this.#allPositions ??= this.properties.map((_, place) => place)
        return this.#allPositions
      case 'by_id':
        this.#byId ??= indexPositions(this.properties, ({ property_id }) => property_id ?? [])
        return findPositions(this.#byId, property_ids)
      case 'by_tag':
        this.#byTag ??= indexPositions(this.properties, ({ tags }) => tags)
        return findPositions(this.#byTag, property_tags)
    }
  }
}

/** Positions of the properties with a name. */
type Positions = ReadonlyMap<string, readonly number[]>

function indexPositions(
  properties: readonly PropertyEntry[],
  listNames: (property: PropertyEntry) => string | readonly string[],
): Positions {
  const places = new Map<string, number[]>()
  for (const [place, property] of properties.entries()) {
    for (const name of new Set([listNames(property)].flat())) {
      const others = places.get(name)
      if (others) others.push(place)
      else places.set(name, [place])
    }
  }
  return places
}

function findPositions(places: Positions, names: readonly string[] = []): readonly number[] {
  return uniteSorted(names.flatMap(name => [places.get(name) ?? none]))
}

const none: readonly number[] = []

/** Unites sorted lists without duplicates; a single list is returned as it is. */
export function uniteSorted(lists: readonly (readonly number[])[]): readonly number[] {
  const some = lists.filter(({ length }) => length > 0)
  if (some.length < 2) return some[0] ?? none
  const all = new Set<number>()
  for (const list of some) for (const place of list) all.add(place)
  return [...all].sort((a, b) => a - b)
}
