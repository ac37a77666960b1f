import { BlockMinima } from './block-minima.ts'
import type { Numbers32, PartsReader } from './file.ts'
import type { Owners } from './owners.ts'
import { clip, type Range } from './range.ts'
import { ORDERED } from './suffix-sorter.ts'
import { BLOCK, headOf, KEPT, keepLeast, NONE, type SuffixesContents } from './suffixes-builder.ts'

const LEAST_BYTE = 0
const GREATEST_BYTE = 0xff

/**
 * All suffixes of some texts, sorted: those that begin with the same bytes stand together. Of each
 * block the first ones stand together once more, close enough for the caches of the CPU.
 */
export class Suffixes {
  readonly #sorted: Numbers32
  readonly #texts: Uint8Array
  readonly #owners: Owners
  readonly #firsts: Uint32Array
  readonly #heads: Uint32Array
  readonly #minima: BlockMinima

  constructor(
    file: PartsReader<unknown>,
    { sorted, firsts, heads, least }: SuffixesContents,
    texts: Uint8Array,
    owners: Owners,
  ) {
    this.#sorted = file.numbers(sorted)
    this.#texts = texts
    this.#owners = owners
    this.#firsts = file.uint32(firsts)
    this.#heads = file.uint32(heads)
    this.#minima = new BlockMinima(file.uint32(least))
  }

  /** Those that begin with these bytes, of which no more than ORDERED count. */
  startingWith(bytes: Uint8Array): Range {
    const start = this.#boundary(bytes, 0)
    const end = this.#boundary(bytes, 1, Math.floor(start / BLOCK))
    return { start, end }
  }

  /** The first ones of a range, which all begin alike: those that begin with these bytes. */
  firstOf({ start }: Range, bytes: Uint8Array): Range {
    return { start, end: this.#boundary(bytes, 1, Math.floor(start / BLOCK)) }
  }

  /** Where they begin in the texts. */
  placesOf({ start, end }: Range): Uint32Array {
    return this.#sorted.between(start, end)
  }

  /** The least entries that suffixes of a range belong to; rising, each once. */
  leastOf(range: Range, limit: number): number[] {
    return limit <= KEPT ? this.#leastKept(range).slice(0, limit) : this.#leastRead(range, limit)
  }

  /** As many of them as are known of each block: only what is part of one is read. */
  #leastKept({ start, end }: Range): number[] {
    const found = new Uint32Array(KEPT).fill(NONE)
    const [from, to] = [Math.ceil(start / BLOCK), Math.floor(end / BLOCK)]
    if (from > to) this.#keepLeast(found, { start, end })
    else {
      this.#minima.keepLeastOf(from, to, found)
      this.#keepLeast(found, { start, end: from * BLOCK })
      this.#keepLeast(found, { start: to * BLOCK, end })
    }
    return Array.from(found).filter(id => id !== NONE)
  }

  /** Of a range that lies in one block. */
  #keepLeast(found: Uint32Array, range: Range): void {
    if (range.start === range.end) return
    if (this.#minima.leastOf(Math.floor(range.start / BLOCK)) >= found[KEPT - 1]!) return
    for (let i = range.start; i < range.end; i++) {
      keepLeast(found, 0, this.#owners.of(this.#sorted.at(i)))
    }
  }

  #leastRead(range: Range, limit: number): number[] {
    const found: number[] = []
    for (const { number, least } of this.#minima.blocksOf(range)) {
      if (found.length === limit && least >= found[limit - 1]!) break
      this.#addLeast(found, limit, clip(range, number * BLOCK, BLOCK))
    }
    return found
  }

  #addLeast(found: number[], limit: number, range: Range): void {
    for (const place of this.placesOf(range)) {
      const id = this.#owners.of(place)
      if (found.length === limit && id >= found[limit - 1]!) continue
      let at = found.length
      while (at > 0 && found[at - 1]! > id) at--
      if (found[at - 1] === id) continue
      found.splice(at, 0, id)
      if (found.length > limit) found.pop()
    }
  }

  /** The first suffix that compares with these bytes as at least `order`; it is in `block` or later. */
  #boundary(bytes: Uint8Array, order: 0 | 1, block = 0): number {
    const within = [headOf(bytes, 0, LEAST_BYTE), headOf(bytes, 0, GREATEST_BYTE)] as const
    let low = block
    let high = this.#firsts.length
    // It is mostly near, if it is known where to begin.
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

  /** The first suffix of a block; its head tells mostly, and heads lie close together in memory. */
  #compareFirst(
    block: number,
    bytes: Uint8Array,
    [least, greatest]: readonly [number, number],
  ): number {
    const head = this.#heads[block]!
    if (head < least) return -1
    if (head > greatest) return 1
    return this.#compare(this.#firsts[block]!, bytes)
  }

  /** The same within the block that begins there. */
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

  /** Negative, zero or positive, as what stands there comes before, begins with, or comes after them. */
  #compare(place: number, bytes: Uint8Array): number {
    const length = Math.min(bytes.length, ORDERED)
    for (let i = 0; i < length; i++) {
      const difference = this.#texts[place + i]! - bytes[i]!
      if (difference !== 0) return difference
    }
    return 0
  }
}
