import type { Shelf } from './shelf.ts'

const FLAGS = 256
/** For one filter it is known before each so many entries how many fit. */
const BLOCK = 1_024
/** Bodies of first pages that are kept; each is at most as large as an answer may be. */
const PAGES = 8

export interface Stretch {
  limit: number
  offset: number
}

/** A filter of a list; its name is the same for the same flags. */
export interface ListFilter {
  name: string
  fits(flags: number): boolean
}

/**
 * A collection as its list shows it, in its order. A page costs what it is long, wherever it begins:
 * entries are numbered in the order of the list, and of a filter it is remembered how many fit before
 * each block of them.
 */
export class Listing {
  readonly #shelf: Shelf
  /** How many entries have these flags. */
  readonly #counts: readonly (readonly [flags: number, count: number])[]
  readonly #filters = new Map<string, Filtered>()
  readonly #pages = new Map<string, Buffer>()

  constructor(shelf: Shelf) {
    shelf.assertOpen()
    this.#shelf = shelf
    const counts = new Uint32Array(FLAGS)
    for (let id = 0; id < shelf.count; id++) counts[shelf.flagsOf(id)]!++
    this.#counts = [...counts.entries()].filter(([, count]) => count > 0)
  }

  /** How many entries there are whose flags fit. */
  count(fits: (flags: number) => boolean): number {
    return this.#counts.reduce((sum, [flags, count]) => (fits(flags) ? sum + count : sum), 0)
  }

  /** A page as JSON, commas between its items; as many as fit into so many bytes, each with one comma. */
  page(
    stretch: Stretch,
    filter: ListFilter | undefined,
    mostBytes: number,
  ): { items: Buffer; isCut: boolean } {
    this.#shelf.assertOpen()
    const ids =
      filter === undefined
        ? idsBetween(stretch.offset, Math.min(stretch.offset + stretch.limit, this.#shelf.count))
        : this.#filtered(filter).page(stretch)
    return this.#shelf.itemsOf(ids, mostBytes)
  }

  /** What many ask for alike, made once. */
  kept(name: string, make: () => Buffer): Buffer {
    const known = this.#pages.get(name)
    if (known !== undefined) return known
    const [oldest] = this.#pages.keys()
    if (this.#pages.size >= PAGES && oldest !== undefined) this.#pages.delete(oldest)
    const made = make()
    this.#pages.set(name, made)
    return made
  }

  #filtered({ name, fits }: ListFilter): Filtered {
    const known = this.#filters.get(name)
    if (known !== undefined) return known
    const made = new Filtered(this.#shelf, fits)
    this.#filters.set(name, made)
    return made
  }
}

/** The entries whose flags fit. */
class Filtered {
  readonly #shelf: Shelf
  readonly #fits = new Uint8Array(FLAGS)
  /** How many fit before each block, and in all. */
  readonly #before: Uint32Array

  constructor(shelf: Shelf, fits: (flags: number) => boolean) {
    this.#shelf = shelf
    for (let flags = 0; flags < FLAGS; flags++) this.#fits[flags] = fits(flags) ? 1 : 0
    this.#before = new Uint32Array(Math.ceil(shelf.count / BLOCK) + 1)
    for (let id = 0; id < shelf.count; id++) {
      this.#before[Math.floor(id / BLOCK) + 1]! += this.#fits[shelf.flagsOf(id)]!
    }
    for (let block = 1; block < this.#before.length; block++) {
      this.#before[block]! += this.#before[block - 1]!
    }
  }

  page({ offset, limit }: Stretch): number[] {
    const ids: number[] = []
    let block = 0
    for (let end = this.#before.length - 1; block < end; ) {
      const middle = (block + end + 1) >> 1
      if (this.#before[middle]! <= offset) block = middle
      else end = middle - 1
    }
    let passed = this.#before[block]!
    for (let id = block * BLOCK; id < this.#shelf.count && ids.length < limit; id++) {
      if (this.#fits[this.#shelf.flagsOf(id)] === 0) continue
      if (passed++ >= offset) ids.push(id)
    }
    return ids
  }
}

function idsBetween(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i)
}
