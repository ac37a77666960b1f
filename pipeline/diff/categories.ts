import type { PlacementEntry } from '../model/documents/index.ts'
import type { AuthorizationRow, CollectionRow, PropertyRow, PublisherRow } from '../model/rows.ts'

/** Categories that one publisher adds to an agent. */
const CATEGORIES_MAX = 200
const CATEGORY_CHARS = 128
/** Collections, and placements, of one publisher that are examined for every grant. */
const ITEMS_MAX = 1_000

/** Rows of a publisher that have categories. */
export interface Categorized {
  publisher?: Pick<PublisherRow, 'catalog'> | undefined
  properties: readonly PropertyRow[]
  collections?: readonly CollectionRow[]
}

type Grant = Pick<
  AuthorizationRow,
  'property_rids' | 'placement_ids' | 'placement_tags' | 'collections' | 'publisher_domain'
>

/** Categories by taxonomy; an empty key if the taxonomy is not named. */
type ByTaxonomy = Map<string, Set<string>>

/** Finds the content categories that an agent reaches by its grants of one publisher. */
export class CategoryFinder {
  readonly #active: ReadonlyMap<string, PropertyRow>
  readonly #collections: readonly CollectionRow[]
  readonly #placements: readonly PlacementEntry[]
  readonly #isEmpty: boolean
  /** Results of unrestricted grants, by the array of their properties, which grants of one set share. */
  readonly #resultsByRids = new Map<readonly string[], ByTaxonomy>()

  constructor({ publisher, properties, collections = [] }: Categorized) {
    const active = properties.filter(row => row.status === 'active')
    const placements = (publisher?.catalog.placements ?? []) as PlacementEntry[]
    this.#active = new Map(active.map(row => [row.property_rid, row]))
    this.#collections = collections
      .filter(({ status, source }) => status === 'active' && source === 'authoritative')
      .filter(({ collection }) => collection.genre !== undefined)
      .slice(0, ITEMS_MAX)
    this.#placements = placements
      .filter(({ manifest }) => manifest.categories !== undefined)
      .slice(0, ITEMS_MAX)
    const items = this.#collections.length + this.#placements.length
    this.#isEmpty = items === 0 && !active.some(row => row.categories)
  }

  /**
   * Finds the genres of the collections that the grants cover, and the categories of the properties that
   * they reach and of the placements on these.
   */
  find(grants: readonly Grant[]): { categories: string[]; taxonomies: string[] } {
    if (this.#isEmpty) return { categories: [], taxonomies: [] }
    const found: ByTaxonomy = new Map()
    for (const grant of grants) {
      for (const [taxonomy, categories] of this.#findForGrant(grant))
        addCategories(found, categories, taxonomy)
    }
    const categories = [...new Set([...found.values()].flatMap(set => [...set]))].sort()
    return { categories: categories.slice(0, CATEGORIES_MAX), taxonomies: [...found.keys()].sort() }
  }

  #findForGrant(grant: Grant): ByTaxonomy {
    const { property_rids, placement_ids, placement_tags, collections } = grant
    const isUnrestricted = placement_ids === null && placement_tags === null && collections === null
    const known = isUnrestricted ? this.#resultsByRids.get(property_rids) : undefined
    const found = known ?? this.#collect(grant)
    if (isUnrestricted) this.#resultsByRids.set(property_rids, found)
    return found
  }

  #collect(grant: Grant): ByTaxonomy {
    const found: ByTaxonomy = new Map()
    const reached = grant.property_rids.flatMap(rid => this.#active.get(rid) ?? [])
    if (reached.length === 0) return found
    for (const row of reached) addCategories(found, row.categories, row.category_taxonomy)
    for (const row of this.#collections) {
      if (coversCollection(grant, row))
        addCategories(found, row.collection.genre, row.collection.genre_taxonomy)
    }
    const ids = new Set(reached.flatMap(({ property_id }) => property_id ?? []))
    const tags = new Set(reached.flatMap(row => row.tags))
    for (const placement of this.#placements) {
      const { property_ids = [], property_tags = [], manifest } = placement
      const isOnReached =
        property_ids.some(id => ids.has(id)) || property_tags.some(tag => tags.has(tag))
      if (!isOnReached || !coversPlacement(grant, placement)) continue
      addCategories(found, manifest.categories, manifest.category_taxonomy)
    }
    return found
  }
}

/** Adds the valid items of a list under their taxonomy; anything else is ignored. */
function addCategories(found: ByTaxonomy, list: unknown, taxonomy: unknown): void {
  const items = list instanceof Set ? [...list] : Array.isArray(list) ? list : [list]
  for (const item of items.slice(0, CATEGORIES_MAX)) {
    const category = readCategory(item)
    if (category === undefined) continue
    const name = readCategory(taxonomy) ?? ''
    const categories = found.get(name)
    if (categories) categories.add(category)
    else found.set(name, new Set([category]))
  }
}

/** Reads a genre or a category, which publishers write freely. */
function readCategory(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > CATEGORY_CHARS) return undefined
  return value.trim() || undefined
}

/** Tells whether a grant is for a collection: it is not restricted to others. */
function coversCollection(
  { collections, publisher_domain }: Grant,
  { collection_id }: CollectionRow,
) {
  if (collections === null) return true
  return collections.some(
    collection =>
      collection.publisher_domain === publisher_domain &&
      collection.collection_ids.includes(collection_id),
  )
}

/** Tells whether a grant is for a placement: it is not restricted to others. */
function coversPlacement(
  { placement_ids, placement_tags }: Grant,
  { placement_id, tags }: PlacementEntry,
) {
  if (placement_ids !== null && !placement_ids.includes(placement_id)) return false
  return placement_tags === null || tags.some(tag => placement_tags.includes(tag))
}
