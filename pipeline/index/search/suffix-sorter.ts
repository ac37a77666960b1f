import { END } from './texts.ts'

/** Suffixes are told apart by so many of their bytes. */
export const ORDERED = 66
/** By how many bytes a part is sorted at once, and how many every part has in common before. */
const STEP = 4
const IN_COMMON = 2
/** Fewer are sorted by comparing them. */
const FEW = 24

/**
 * Sorts places in texts by what stands there, as far as END or ORDERED bytes. Those that say the
 * same stay as they were.
 */
export class SuffixSorter {
  readonly #texts: Uint8Array
  /** What is sorted: in the higher half of each number the bytes, in the lower half their place. */
  #pairs = new BigUint64Array(1024)
  #halves = new Uint32Array(this.#pairs.buffer)

  constructor(texts: Uint8Array) {
    this.#texts = texts
  }

  /** Sorts one place or more that rise, at each of which the same two bytes stand. */
  sort(places: Uint32Array): void {
    if (this.#texts[places[0]! + IN_COMMON - 1] === END) return
    if (places.length > this.#pairs.length) {
      this.#pairs = new BigUint64Array(places.length)
      this.#halves = new Uint32Array(this.#pairs.buffer)
    }
    this.#sort(places, IN_COMMON)
  }

  /** The first `depth` bytes are the same, and none of them is END. */
  #sort(places: Uint32Array, depth: number): void {
    if (places.length <= FEW) return this.#insert(places, depth)
    const halves = this.#halves
    for (let i = 0; i < places.length; i++) {
      halves[2 * i] = places[i]!
      halves[2 * i + 1] = this.#bytesAt(places[i]! + depth)
    }
    this.#pairs.subarray(0, places.length).sort()
    const alike: number[] = []
    for (let i = 0, start = 0; i < places.length; i++) {
      places[i] = halves[2 * i]!
      const bytes = halves[2 * i + 1]!
      const isLast = i + 1 === places.length || halves[2 * i + 3] !== bytes
      if (!isLast) continue
      if (i > start && (bytes & 255) > END) alike.push(start, i + 1)
      start = i + 1
    }
    if (depth + STEP >= ORDERED) return
    for (let i = 0; i < alike.length; i += 2) {
      this.#sort(places.subarray(alike[i], alike[i + 1]), depth + STEP)
    }
  }

  /** The next bytes as a number; nothing stands behind END. */
  #bytesAt(at: number): number {
    let number = 0
    for (let i = 0, byte = -1; i < STEP; i++) {
      byte = byte === END || byte === 0 ? 0 : this.#texts[at + i]!
      number = (number << 8) | byte
    }
    return number >>> 0
  }

  #insert(places: Uint32Array, depth: number): void {
    for (let i = 1; i < places.length; i++) {
      const place = places[i]!
      let at = i
      for (; at > 0 && this.#isBefore(place, places[at - 1]!, depth); at--) {
        places[at] = places[at - 1]!
      }
      places[at] = place
    }
  }

  #isBefore(place: number, other: number, depth: number): boolean {
    for (let i = depth; i < ORDERED; i++) {
      const byte = this.#texts[place + i]!
      const against = this.#texts[other + i]!
      if (byte !== against) return byte < against
      if (byte === END) return false
    }
    return false
  }
}
