// biome-ignore-all lint/style/noNonNullAssertion: ids are those of entries, for which there are bits

import type { Slices } from './slices.ts'

/** Size up to which a set is a hash set, which is sorted when it is read; a larger one is a bitmap. */
const SPARSE_MAX = 512
const WORD_BITS = 32
/** Right shift that divides by the bits of a word. */
const WORD_SHIFT = 5
/** Words of a bitmap that are read before other requests get a turn. */
const WORDS_PER_TURN = 4_096

/** A set of entries by number: a hash set of a few, or a bitmap of all. */
export class EntrySet {
  readonly #sparse = new Set<number>()
  readonly #bits: Uint32Array | undefined
  #size = 0

  /** Creates a set of entries numbered from 0 to before `count`, that will hold at most `sizeMax`. */
  constructor(count: number, sizeMax: number) {
    if (sizeMax > SPARSE_MAX) this.#bits = new Uint32Array(Math.ceil(count / WORD_BITS))
  }

  get size(): number {
    return this.#size
  }

  add(id: number): void {
    if (this.has(id)) return
    this.#size++
    if (this.#bits === undefined) this.#sparse.add(id)
    else this.#bits[id >>> WORD_SHIFT]! |= 1 << (id % WORD_BITS)
  }

  has(id: number): boolean {
    if (this.#bits === undefined) return this.#sparse.has(id)
    return (this.#bits[id >>> WORD_SHIFT]! & (1 << (id % WORD_BITS))) !== 0
  }

  /** Lists the entries in rising order. */
  *iterateAscending(): Slices<number[]> {
    if (this.#bits === undefined) return [...this.#sparse].sort((a, b) => a - b)
    const ids: number[] = []
    for (let word = 0; word < this.#bits.length; word++) {
      for (let rest = this.#bits[word]!; rest !== 0; rest &= rest - 1) {
        ids.push(WORD_BITS * word + WORD_BITS - 1 - Math.clz32(rest & -rest))
      }
      if (word % WORDS_PER_TURN === 0) yield
    }
    return ids
  }
}
