import { fold } from '../../core/fold.ts'
import { PartsReader } from './file.ts'
import { Listing } from './listing.ts'
import { allHolding, firstHolding } from './literal.ts'
import { entriesNear } from './near.ts'
import { Shelf, type ShelfContents } from './shelf.ts'
import { inSlices, type Slices } from './slices.ts'

/** Version of the file; one of another version is made again. */
export const SEARCH_FORMAT = 5

export const shelfNames = ['brands', 'publishers', 'properties'] as const
export type ShelfName = (typeof shelfNames)[number]

export interface SearchContents {
  format: number
  shelves: Record<ShelfName, ShelfContents>
}

const PAUSE_EVERY = 1_024

/**
 * Finds entries by their texts. What is called as asked comes first, then what begins so, then what
 * contains it, then what may be meant with one edit; and within each of these the order of the list.
 */
export class SearchIndex {
  /** The commit it shows. */
  readonly seq: number
  readonly #file: PartsReader<SearchContents>
  readonly #shelves: Record<ShelfName, Shelf>
  readonly #listings = new Map<ShelfName, Listing>()
  readonly #mayGoOn: () => void

  private constructor(
    seq: number,
    file: PartsReader<SearchContents>,
    shelves: Record<ShelfName, Shelf>,
  ) {
    this.seq = seq
    this.#file = file
    this.#shelves = shelves
    this.#mayGoOn = () => file.assertOpen()
  }

  static async open(path: string, seq: number): Promise<SearchIndex> {
    const file = await PartsReader.open<SearchContents>(path)
    const { shelves } = file.contents
    return new SearchIndex(seq, file, {
      brands: new Shelf(file, shelves.brands),
      publishers: new Shelf(file, shelves.publishers),
      properties: new Shelf(file, shelves.properties),
    })
  }

  /** The same entries, as a later commit has them. */
  at(seq: number): SearchIndex {
    return new SearchIndex(seq, this.#file, this.#shelves)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** All entries of a collection, as its list shows them. */
  listing(name: ShelfName): Listing {
    const known = this.#listings.get(name) ?? new Listing(this.#shelves[name])
    this.#listings.set(name, known)
    return known
  }

  /**
   * The first of all entries of some collections that match, as JSON. Where one is called exactly as
   * asked, or enough contain what was asked, nobody misspelled anything.
   */
  async best<Name extends ShelfName>(
    names: readonly Name[],
    text: string,
    limit: number,
  ): Promise<Record<Name, string[]>> {
    const shelves = names.map(name => this.#shelves[name])
    const items = await inSlices(bestItemsOf(shelves, fold(text), limit), this.#mayGoOn)
    return Object.fromEntries(names.map((name, i) => [name, items[i]!])) as Record<Name, string[]>
  }

  /**
   * Every entry that contains the text, in order; where none does, those that it may mean misspelled.
   * A list is a filter, so what else might be meant is not mixed with what was asked for.
   */
  async all(name: ShelfName, text: string): Promise<Matches> {
    const shelf = this.#shelves[name]
    return new Matches(shelf, await inSlices(allOf(shelf, fold(text)), this.#mayGoOn))
  }
}

/** All entries that match. */
export class Matches {
  readonly #shelf: Shelf
  readonly #ids: readonly number[]

  constructor(shelf: Shelf, ids: readonly number[]) {
    this.#shelf = shelf
    this.#ids = ids
  }

  /** Counts those whose flags fit. */
  counter(): (fits: (flags: number) => boolean) => number {
    this.#shelf.assertOpen()
    const counts = new Uint32Array(256)
    for (const id of this.#ids) counts[this.#shelf.flagsOf(id)]!++
    return fits => counts.reduce((sum, count, flags) => (fits(flags) ? sum + count : sum), 0)
  }

  /** A page of those whose flags fit, as JSON. */
  page(
    { offset, limit }: { offset: number; limit: number },
    fits: (flags: number) => boolean,
  ): Promise<string[]> {
    const shelf = this.#shelf
    shelf.assertOpen()
    const ids = this.#ids.filter(id => fits(shelf.flagsOf(id))).slice(offset, offset + limit)
    return inSlices(itemsOf(shelf, ids), () => shelf.assertOpen())
  }
}

function* itemsOf(shelf: Shelf, ids: readonly number[]): Slices<string[]> {
  const items: string[] = []
  for (const id of ids) {
    items.push(shelf.itemOf(id))
    if (items.length % PAUSE_EVERY === 0) yield
  }
  return items
}

function* bestItemsOf(
  shelves: readonly Shelf[],
  folded: string,
  limit: number,
): Slices<string[][]> {
  const found = yield* bestOf(shelves, folded, limit)
  return found.map((ids, i) => ids.map(id => shelves[i]!.itemOf(id)))
}

function* bestOf(
  shelves: readonly Shelf[],
  folded: string,
  limit: number,
): Slices<readonly number[][]> {
  if (folded === '' || limit === 0) return shelves.map(() => [])
  const found: number[][] = []
  let isCalledSo = false
  for (const shelf of shelves) {
    const literal = yield* firstHolding(shelf, folded, limit)
    found.push(literal.ids)
    isCalledSo ||= literal.isCalledSo
  }
  const all = found.reduce((sum, { length }) => sum + length, 0)
  if (isCalledSo || all >= limit) return found
  for (const [i, shelf] of shelves.entries()) {
    const ids = found[i]!
    if (ids.length === limit) continue
    ids.push(...(yield* entriesNear(shelf, folded, new Set(ids), limit - ids.length)))
  }
  return found
}

function* allOf(shelf: Shelf, folded: string): Slices<number[]> {
  if (folded === '') return []
  const found = yield* allHolding(shelf, folded)
  return found.length > 0 ? found : yield* entriesNear(shelf, folded, new Set())
}
