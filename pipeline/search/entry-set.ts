import type { Slices } from './slices.ts'

/** Maximum number of entries that are sorted directly. */
const SORTED = 512
const WORD_BITS = 32
/** Right shift that divides by the bits of a word. */
const WORD_SHIFT = 5
/** Entries after which other requests get a turn. */
const ENTRIES_PER_TURN = 4_096

/** Numbers of entries, each once: a few, or a bit for each entry that there is. */
export class EntrySet {
  readonly #sparse = new Set<number>()
  readonly #bits: Uint32Array | undefined
  #size = 0

  /** Allocates a set over so many entries that will hold `most` at most. */
  constructor(count: number, sparseMax: number) {
    if (sparseMax > SORTED) this.#bits = new Uint32Array(Math.ceil(count / WORD_BITS))
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

  *iterateAscending(): Slices<number[]> {
    if (this.#bits === undefined) return [...this.#sparse].sort((a, b) => a - b)
    const ids: number[] = []
    for (let word = 0; word < this.#bits.length; word++) {
      for (let rest = this.#bits[word]!; rest !== 0; rest &= rest - 1) {
        ids.push(WORD_BITS * word + WORD_BITS - 1 - Math.clz32(rest & -rest))
      }
      if (word % ENTRIES_PER_TURN === 0) yield
    }
    return ids
  }
}
