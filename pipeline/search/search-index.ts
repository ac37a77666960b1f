import { getAt } from '../core/present.ts'
import { Collection, type CollectionContents } from './collection.ts'
import { fold } from './fold.ts'
import { Listing } from './listing.ts'
import { findAllContaining, findFirstContaining } from './literal.ts'
import { findNear } from './near.ts'
import { PartsReader } from './parts-reader.ts'
import { runInSlices, type Slices } from './slices.ts'

/** Version of the file; one of another version is made again. */
export const SEARCH_FORMAT = 9

export const collectionNames = ['brands', 'publishers', 'properties', 'agents'] as const
export type CollectionName = (typeof collectionNames)[number]

export interface SearchContents {
  format: number
  collections: Record<CollectionName, CollectionContents>
}

/** Entries after which other requests get a turn. */
const ENTRIES_PER_TURN = 1_024

/**
 * Finds entries by their texts. What is called as asked comes first, then what begins so, then what
 * contains it, then what may be meant with one edit; and within each of these the order of the list.
 */
export class SearchIndex {
  /** The commit it shows. */
  readonly seq: number
  readonly #file: PartsReader<SearchContents>
  readonly #collections: Record<CollectionName, Collection>
  readonly #listings = new Map<CollectionName, Listing>()
  readonly #mayGoOn: () => void

  private constructor(
    seq: number,
    file: PartsReader<SearchContents>,
    collections: Record<CollectionName, Collection>,
  ) {
    this.seq = seq
    this.#file = file
    this.#collections = collections
    this.#mayGoOn = () => file.assertOpen()
  }

  static open(path: string, seq: number): SearchIndex {
    const file = PartsReader.open<SearchContents>(path)
    const { collections } = file.contents
    return new SearchIndex(seq, file, {
      brands: new Collection(file, collections.brands),
      publishers: new Collection(file, collections.publishers),
      properties: new Collection(file, collections.properties),
      agents: new Collection(file, collections.agents),
    })
  }

  /** Returns the same entries under a later commit. */
  at(seq: number): SearchIndex {
    return new SearchIndex(seq, this.#file, this.#collections)
  }

  close(): void {
    this.#file.close()
  }

  /** Returns all entries of a collection, in the form of its list. */
  listing(name: CollectionName): Listing {
    const known = this.#listings.get(name) ?? new Listing(this.#collections[name])
    this.#listings.set(name, known)
    return known
  }

  /**
   * Searches some collections and returns the first matches as JSON. Misspellings are considered
   * only where no entry has the exact name and too few contain the text. Agents do not count there, so that one which is
   * called like a misspelled brand does not hide the brand.
   */
  async search<Name extends CollectionName>(
    names: readonly Name[],
    text: string,
    limit: number,
  ): Promise<Record<Name, string[]>> {
    const asked = names.map(name => ({
      collection: this.#collections[name],
      isCounted: name !== 'agents',
    }))
    const items = await runInSlices(findBestItems(asked, fold(text), limit), this.#mayGoOn)
    return Object.fromEntries(names.map((name, i) => [name, getAt(items, i)])) as Record<
      Name,
      string[]
    >
  }

  /**
   * Finds every entry that contains the text, in order; if there is none, those that it may be a
   * misspelling of. A list is a filter, so it does not mix exact and similar matches.
   */
  async all(name: CollectionName, text: string): Promise<Matches> {
    const collection = this.#collections[name]
    return new Matches(
      collection,
      await runInSlices(findAll(collection, fold(text)), this.#mayGoOn),
    )
  }
}

/** All entries that match. */
export class Matches {
  readonly #collection: Collection
  readonly #ids: readonly number[]

  constructor(collection: Collection, ids: readonly number[]) {
    this.#collection = collection
    this.#ids = ids
  }

  /** Counts those whose flags fit. */
  counter(): (matches: (flags: number) => boolean) => number {
    this.#collection.assertOpen()
    const counts = new Uint32Array(256)
    // biome-ignore lint/style/noNonNullAssertion: flags are one byte
    for (const id of this.#ids) counts[this.#collection.readFlags(id)]!++
    return matches => counts.reduce((sum, count, flags) => (matches(flags) ? sum + count : sum), 0)
  }

  /** Reads a page of the entries whose flags match, as JSON. */
  page(
    { offset, limit }: { offset: number; limit: number },
    matches: (flags: number) => boolean,
  ): Promise<string[]> {
    const collection = this.#collection
    collection.assertOpen()
    const ids = this.#ids
      .filter(id => matches(collection.readFlags(id)))
      .slice(offset, offset + limit)
    return runInSlices(readItems(collection, ids), () => collection.assertOpen())
  }
}

function* readItems(collection: Collection, ids: readonly number[]): Slices<string[]> {
  const items: string[] = []
  for (const id of ids) {
    items.push(collection.readItem(id))
    if (items.length % ENTRIES_PER_TURN === 0) yield
  }
  return items
}

interface Asked {
  collection: Collection
  /** Tells whether its matches decide that no misspelling has to be considered. */
  isCounted: boolean
}

function* findBestItems(
  asked: readonly Asked[],
  folded: string,
  limit: number,
): Slices<string[][]> {
  const found = yield* findBest(asked, folded, limit)
  return found.map((ids, i) => ids.map(id => getAt(asked, i).collection.readItem(id)))
}

function* findBest(
  asked: readonly Asked[],
  folded: string,
  limit: number,
): Slices<readonly number[][]> {
  if (folded === '' || limit === 0) return asked.map(() => [])
  const found: number[][] = []
  let isEnough = false
  let count = 0
  for (const { collection, isCounted } of asked) {
    const literal = yield* findFirstContaining(collection, folded, limit)
    found.push(literal.ids)
    if (!isCounted) continue
    count += literal.ids.length
    isEnough ||= literal.isCalledSo || count >= limit
  }
  if (isEnough) return found
  for (const [i, { collection }] of asked.entries()) {
    const ids = getAt(found, i)
    if (ids.length === limit) continue
    ids.push(...(yield* findNear(collection, folded, new Set(ids), limit - ids.length)))
  }
  return found
}

function* findAll(collection: Collection, folded: string): Slices<number[]> {
  if (folded === '') return []
  const found = yield* findAllContaining(collection, folded)
  return found.length > 0 ? found : yield* findNear(collection, folded, new Set())
}
