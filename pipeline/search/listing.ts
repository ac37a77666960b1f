// biome-ignore-all lint/style/noNonNullAssertion: flags are one byte, and blocks cover all entries

import type { Collection } from './collection.ts'

/** Values of the byte that holds the flags of an entry. */
const FLAG_COMBINATIONS = 256
/** Entries of a block; a filter remembers the number of matches before each block. */
const BLOCK_ENTRIES = 1_024
/** Answers that are cached; each is at most as large as an answer may be. */
const CACHED_PAGES_MAX = 8

export interface PageRange {
  limit: number
  offset: number
}

/** A filter of a list; its name is the same for the same flags. */
export interface ListFilter {
  name: string
  matches(flags: number): boolean
}

/**
 * Pages of a collection, in the order of its list. The cost of a page depends on its length, not on where it
 * begins: entries are numbered in that order, and a filter remembers the number of matches before each block.
 */
export class Listing {
  readonly #collection: Collection
  /** Number of entries by flags. */
  readonly #counts: readonly (readonly [flags: number, count: number])[]
  readonly #filters = new Map<string, Filtered>()
  readonly #pages = new Map<string, Buffer>()

  constructor(collection: Collection) {
    collection.assertOpen()
    this.#collection = collection
    const counts = new Uint32Array(FLAG_COMBINATIONS)
    for (let id = 0; id < collection.count; id++) counts[collection.readFlags(id)]!++
    this.#counts = [...counts.entries()].filter(([, count]) => count > 0)
  }

  /** Counts the entries whose flags match. */
  count(matches: (flags: number) => boolean): number {
    return this.#counts.reduce((sum, [flags, count]) => (matches(flags) ? sum + count : sum), 0)
  }

  /**
   * Counts the entries up to a place in the order of the list, by binary search. `isBeyond` tells whether an item comes
   * after that place.
   */
  countUntil(isBeyond: (item: string) => boolean, filter: ListFilter | undefined): number {
    this.#collection.assertOpen()
    let start = 0
    for (let end = this.#collection.count; start < end; ) {
      const middle = (start + end) >> 1
      if (isBeyond(this.#collection.readItem(middle))) end = middle
      else start = middle + 1
    }
    return filter === undefined ? start : this.#filtered(filter).countBefore(start)
  }

  /**
   * Returns a page as JSON with commas between items: as many as fit into `maxBytes`, commas included. `last` is the
   * last of them.
   */
  page(
    range: PageRange,
    filter: ListFilter | undefined,
    maxBytes: number,
  ): { items: Buffer; count: number; isCut: boolean; last: string | undefined } {
    this.#collection.assertOpen()
    const ids =
      filter === undefined
        ? listIdsBetween(range.offset, Math.min(range.offset + range.limit, this.#collection.count))
        : this.#filtered(filter).page(range)
    const page = this.#collection.readItems(ids, maxBytes)
    const last = ids[page.count - 1]
    return { ...page, last: last === undefined ? undefined : this.#collection.readItem(last) }
  }

  /** Returns the answer of this name from the cache, or makes it. The oldest is evicted. */
  memoize(name: string, make: () => Buffer): Buffer {
    const known = this.#pages.get(name)
    if (known !== undefined) return known
    const [oldest] = this.#pages.keys()
    if (this.#pages.size >= CACHED_PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest)
    const made = make()
    this.#pages.set(name, made)
    return made
  }

  #filtered({ name, matches: isMatching }: ListFilter): Filtered {
    const known = this.#filters.get(name)
    if (known !== undefined) return known
    const made = new Filtered(this.#collection, isMatching)
    this.#filters.set(name, made)
    return made
  }
}

/** The entries that match a filter. */
class Filtered {
  readonly #collection: Collection
  readonly #matches = new Uint8Array(FLAG_COMBINATIONS)
  /** Number of matches before each block, and in all. */
  readonly #matchesBefore: Uint32Array

  constructor(collection: Collection, matches: (flags: number) => boolean) {
    this.#collection = collection
    for (let flags = 0; flags < FLAG_COMBINATIONS; flags++)
      this.#matches[flags] = matches(flags) ? 1 : 0
    this.#matchesBefore = new Uint32Array(Math.ceil(collection.count / BLOCK_ENTRIES) + 1)
    for (let id = 0; id < collection.count; id++) {
      this.#matchesBefore[Math.floor(id / BLOCK_ENTRIES) + 1]! +=
        this.#matches[collection.readFlags(id)]!
    }
    for (let block = 1; block < this.#matchesBefore.length; block++) {
      this.#matchesBefore[block]! += this.#matchesBefore[block - 1]!
    }
  }

  /** Counts the matches before an entry. */
  countBefore(id: number): number {
    const block = Math.floor(id / BLOCK_ENTRIES)
    let count = this.#matchesBefore[block]!
    for (let before = block * BLOCK_ENTRIES; before < id; before++)
      count += this.#matches[this.#collection.readFlags(before)]!
    return count
  }

  page({ offset, limit }: PageRange): number[] {
    const ids: number[] = []
    // Binary search for the last block before which at most `offset` entries match.
    let block = 0
    for (let end = this.#matchesBefore.length - 1; block < end; ) {
      const middle = (block + end + 1) >> 1
      if (this.#matchesBefore[middle]! <= offset) block = middle
      else end = middle - 1
    }
    let passed = this.#matchesBefore[block]!
    for (let id = block * BLOCK_ENTRIES; id < this.#collection.count && ids.length < limit; id++) {
      if (this.#matches[this.#collection.readFlags(id)] === 0) continue
      if (passed++ >= offset) ids.push(id)
    }
    return ids
  }
}

function listIdsBetween(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i)
}
