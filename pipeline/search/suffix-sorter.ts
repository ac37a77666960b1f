// biome-ignore-all lint/style/noNonNullAssertion: positions are within the texts, and a check for each byte would slow the build

import { END } from './texts.ts'

/** Bytes by which suffixes are sorted; those that are equal so far keep their order. */
export const SORTED_BYTES = 66
/** Bytes that one pass sorts by. */
const RADIX_BYTES = 4
/** Bytes that all suffixes given to `sort` have in common. */
const COMMON_BYTES = 2
/** Suffixes up to which an insertion sort is faster. */
const COMPARISON_SORT_MAX = 24

/** Sorts positions by the text that follows, up to END or SORTED_BYTES bytes. The sort is stable. */
export class SuffixSorter {
  readonly #texts: Uint8Array
  /** Sort keys: the bytes in the higher half of each number, their place in the lower half. */
  #pairs = new BigUint64Array(1024)
  #prefixWords = new Uint32Array(this.#pairs.buffer)

  constructor(texts: Uint8Array) {
    this.#texts = texts
  }

  /** Sorts rising positions, all of which begin with the same two bytes. */
  sort(positions: Uint32Array): void {
    if (this.#texts[positions[0]! + COMMON_BYTES - 1] === END) return
    if (positions.length > this.#pairs.length) {
      this.#pairs = new BigUint64Array(positions.length)
      this.#prefixWords = new Uint32Array(this.#pairs.buffer)
    }
    this.#sort(positions, COMMON_BYTES)
  }

  /** Sorts suffixes whose first `depth` bytes are equal, none of them END. */
  #sort(positions: Uint32Array, depth: number): void {
    if (positions.length <= COMPARISON_SORT_MAX) return this.#insert(positions, depth)
    const prefixWords = this.#prefixWords
    for (let i = 0; i < positions.length; i++) {
      prefixWords[2 * i] = positions[i]!
      prefixWords[2 * i + 1] = this.#bytesAt(positions[i]! + depth)
    }
    this.#pairs.subarray(0, positions.length).sort()
    const ties: number[] = []
    for (let i = 0, start = 0; i < positions.length; i++) {
      positions[i] = prefixWords[2 * i]!
      const bytes = prefixWords[2 * i + 1]!
      const isLast = i + 1 === positions.length || prefixWords[2 * i + 3] !== bytes
      if (!isLast) continue
      if (i > start && (bytes & 255) > END) ties.push(start, i + 1)
      start = i + 1
    }
    if (depth + RADIX_BYTES >= SORTED_BYTES) return
    for (let i = 0; i < ties.length; i += 2) {
      this.#sort(positions.subarray(ties[i], ties[i + 1]), depth + RADIX_BYTES)
    }
  }

  /** Returns the next bytes as a number; 0 behind END. */
  #bytesAt(at: number): number {
    let number = 0
    for (let i = 0, byte = -1; i < RADIX_BYTES; i++) {
      byte = byte === END || byte === 0 ? 0 : this.#texts[at + i]!
      number = (number << 8) | byte
    }
    return number >>> 0
  }

  #insert(positions: Uint32Array, depth: number): void {
    for (let i = 1; i < positions.length; i++) {
      const position = positions[i]!
      let at = i
      for (; at > 0 && this.#isBefore(position, positions[at - 1]!, depth); at--) {
        positions[at] = positions[at - 1]!
      }
      positions[at] = position
    }
  }

  #isBefore(position: number, other: number, depth: number): boolean {
    for (let i = depth; i < SORTED_BYTES; i++) {
      const byte = this.#texts[position + i]!
      const against = this.#texts[other + i]!
      if (byte !== against) return byte < against
      if (byte === END) return false
    }
    return false
  }
}
