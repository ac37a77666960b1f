// biome-ignore-all lint/style/noNonNullAssertion: positions are within the texts, and a check in each step would slow searches

import { BlockMinima } from './block-minima.ts'
import type { Owners } from './owners.ts'
import type { Numbers32, PartsReader } from './parts-reader.ts'
import { clip, type Range } from './range.ts'
import { SORTED_BYTES } from './suffix-sorter.ts'
import {
  BLOCK,
  insertSmallest,
  MINIMA_PER_BLOCK,
  NONE,
  readHead,
  type SuffixesContents,
} from './suffixes-builder.ts'

const BYTE_MIN = 0
const BYTE_MAX = 0xff

/**
 * All suffixes of some texts, sorted: suffixes with the same beginning are adjacent. The first suffix of
 * each block is also in a list of its own, which is small enough to stay in memory.
 */
export class Suffixes {
  readonly #sorted: Numbers32
  readonly #texts: Uint8Array
  readonly #owners: Owners
  readonly #firstPositions: Uint32Array
  readonly #prefixes: Uint32Array
  readonly #minima: BlockMinima

  constructor(
    file: PartsReader<unknown>,
    { sorted, firstPositions, prefixes, minima }: SuffixesContents,
    texts: Uint8Array,
    owners: Owners,
  ) {
    this.#sorted = file.numbers(sorted)
    this.#texts = texts
    this.#owners = owners
    this.#firstPositions = file.loadNumbers(firstPositions)
    this.#prefixes = file.loadNumbers(prefixes)
    this.#minima = new BlockMinima(file.loadNumbers(minima))
  }

  /** Finds the suffixes that begin with these bytes, of which at most SORTED_BYTES are compared. */
  startingWith(bytes: Uint8Array): Range {
    const start = this.#boundary(bytes, 0)
    const end = this.#boundary(bytes, 1, Math.floor(start / BLOCK))
    return { start, end }
  }

  /** Finds the part of a range that begins with more bytes; the first suffix of the range must begin so. */
  findFirst({ start }: Range, bytes: Uint8Array): Range {
    return { start, end: this.#boundary(bytes, 1, Math.floor(start / BLOCK)) }
  }

  /** Reads where the suffixes of a range begin in the texts. */
  listPositions({ start, end }: Range): Uint32Array {
    return this.#sorted.between(start, end)
  }

  /** Lists the smallest entries to which suffixes of a range belong, each once, in rising order. */
  smallestIds(range: Range, limit: number): number[] {
    return limit <= MINIMA_PER_BLOCK
      ? this.#smallestFromMinima(range).slice(0, limit)
      : this.#smallestByReading(range, limit)
  }

  /**
   * Lists the smallest entries of a range from the minima of its blocks; only blocks at its ends are read.
   */
  #smallestFromMinima({ start, end }: Range): number[] {
    const found = new Uint32Array(MINIMA_PER_BLOCK).fill(NONE)
    const [from, to] = [Math.ceil(start / BLOCK), Math.floor(end / BLOCK)]
    if (from > to) this.#collectFromBlocks(found, { start, end })
    else {
      this.#minima.collectSmallest(from, to, found)
      this.#collectFromBlocks(found, { start, end: from * BLOCK })
      this.#collectFromBlocks(found, { start: to * BLOCK, end })
    }
    return Array.from(found).filter(id => id !== NONE)
  }

  /** Adds the least entries of a range that lies in one block. */
  #collectFromBlocks(found: Uint32Array, range: Range): void {
    if (range.start === range.end) return
    if (this.#minima.findMinimum(Math.floor(range.start / BLOCK)) >= found[MINIMA_PER_BLOCK - 1]!)
      return
    for (const position of this.listPositions(range)) {
      insertSmallest(found, 0, this.#owners.findEntry(position))
    }
  }

  #smallestByReading(range: Range, limit: number): number[] {
    const found: number[] = []
    for (const { number, minimum } of this.#minima.iterateBlocks(range)) {
      if (found.length === limit && minimum >= found[limit - 1]!) break
      this.#addSmallest(found, limit, clip(range, number * BLOCK, BLOCK))
    }
    return found
  }

  #addSmallest(found: number[], limit: number, range: Range): void {
    for (const position of this.listPositions(range)) {
      const id = this.#owners.findEntry(position)
      if (found.length === limit && id >= found[limit - 1]!) continue
      let at = found.length
      while (at > 0 && found[at - 1]! > id) at--
      if (found[at - 1] === id) continue
      found.splice(at, 0, id)
      if (found.length > limit) found.pop()
    }
  }

  /** Finds the first suffix that compares with these bytes as at least `order`; it is in `block` or later. */
  #boundary(bytes: Uint8Array, order: 0 | 1, block = 0): number {
    const within = [readHead(bytes, 0, BYTE_MIN), readHead(bytes, 0, BYTE_MAX)] as const
    let low = block
    let high = this.#firstPositions.length
    // Given a block to begin with, the boundary is mostly near: search in growing steps first.
    for (let step = 1; block > 0 && low + step < high; step *= 2) {
      if (this.#compareFirst(low + step, bytes, within) >= order) high = low + step
      else low += step
    }
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compareFirst(middle, bytes, within) < order) low = middle + 1
      else high = middle
    }
    if (low === 0) return 0
    return this.#boundaryIn((low - 1) * BLOCK, bytes, order)
  }

  /**
   * Compares the first suffix of a block. Mostly its first four bytes decide, which are close together in
   * memory.
   */
  #compareFirst(
    block: number,
    bytes: Uint8Array,
    [smallest, greatest]: readonly [number, number],
  ): number {
    const head = this.#prefixes[block]!
    if (head < smallest) return -1
    if (head > greatest) return 1
    return this.#compare(this.#firstPositions[block]!, bytes)
  }

  /** Searches for the boundary within the block that begins there. */
  #boundaryIn(start: number, bytes: Uint8Array, order: 0 | 1): number {
    let low = start
    let high = Math.min(start + BLOCK, this.#sorted.length)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#sorted.at(middle), bytes) < order) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * Returns a negative number, zero or a positive one, as the text there is before, begins with, or
   * is after the bytes.
   */
  #compare(position: number, bytes: Uint8Array): number {
    const length = Math.min(bytes.length, SORTED_BYTES)
    for (let i = 0; i < length; i++) {
      const difference = this.#texts[position + i]! - bytes[i]!
      if (difference !== 0) return difference
    }
    return 0
  }
}
