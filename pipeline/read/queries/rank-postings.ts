// biome-ignore-all lint/style/noNonNullAssertion: sets have a bit for every rank, and equally many words

const WORD_BITS = 32

/** A set of ranks, a bit each. */
export type Bits = Uint32Array

/** Sets of which any one is enough. They are united lazily, since a page rarely needs all of them. */
type Union = readonly Bits[]

/** Selects ranks, a bit each, of the 32 that a word has. */
export type SelectWord = (word: number) => number

/** Postings as one thread hands them over to another. */
export interface PostingParts {
  words: number
  sets: Map<string, number[] | Bits>
}

/**
 * Postings by facet and value: a list of ranks while they are few, a bitmap once a list would be
 * larger.
 */
export class Postings {
  readonly #wordCount: number
  readonly #ranksByKey: Map<string, number[] | Bits>
  /** Sums of `selectByCount`: new ones for each search would be most of its garbage. */
  readonly #sums: Bits[] = []

  private constructor({ words, sets }: PostingParts) {
    this.#wordCount = words
    this.#ranksByKey = sets
  }

  static create(size: number): Postings {
    return new Postings({ words: Math.ceil(size / WORD_BITS), sets: new Map() })
  }

  static of(parts: PostingParts): Postings {
    return new Postings(parts)
  }

  get parts(): PostingParts {
    return { words: this.#wordCount, sets: this.#ranksByKey }
  }

  /** Ranks are added in rising order. */
  add(facet: string, value: string, rank: number): void {
    const key = toKey(facet, value)
    const ranks = this.#ranksByKey.get(key)
    if (ranks === undefined) this.#ranksByKey.set(key, [rank])
    else if (!Array.isArray(ranks)) set(ranks, rank)
    else if (ranks.length < this.#wordCount) ranks.push(rank)
    else {
      const bits = this.#createEmptySet()
      for (const rank of ranks) set(bits, rank)
      set(bits, rank)
      this.#ranksByKey.set(key, bits)
    }
  }

  /** Finds the postings of these values, to be united. They must not be written to. */
  any(facet: string, values: readonly string[]): Union {
    const found = [...new Set(values)].flatMap(value => {
      const ranks = this.#ranksByKey.get(toKey(facet, value))
      return ranks === undefined ? [] : [ranks]
    })
    const lists = found.filter(ranks => Array.isArray(ranks))
    const bitmaps = found.filter((ranks): ranks is Bits => !Array.isArray(ranks))
    if (lists.length === 0) return bitmaps
    const bits = this.#createEmptySet()
    for (const ranks of lists) for (const rank of ranks) set(bits, rank)
    return [...bitmaps, bits]
  }

  /**
   * Selects the ranks that have exactly `count` of these values by facet, for each count from 0 on. Valid until the
   * next call. All ranks are counted at once: each sum has one bit of the count of every rank.
   */
  selectByCount(valuesByFacet: ReadonlyMap<string, readonly string[]>): SelectWord[] {
    const sets = [...valuesByFacet].flatMap(([facet, values]) =>
      [...new Set(values)].flatMap(value => this.any(facet, [value])),
    )
    const places = WORD_BITS - Math.clz32(sets.length)
    while (this.#sums.length < places) this.#sums.push(this.#createEmptySet())
    const sums = this.#sums.slice(0, places)
    for (const sum of sums) sum.fill(0)
    for (const bits of sets) addBits(bits, sums)
    return Array.from({ length: sets.length + 1 }, (_, count) => word => {
      let left = -1
      for (let place = 0; place < places; place++) {
        const part = sums[place]![word]!
        left &= (count >>> place) & 1 ? part : ~part
      }
      return left
    })
  }

  #createEmptySet(): Bits {
    return new Uint32Array(this.#wordCount)
  }
}

function toKey(facet: string, value: string): string {
  return `${facet} ${value}`
}

function set(bits: Bits, rank: number): void {
  bits[rank >>> 5]! |= 1 << (rank & 31)
}

/** Selects from each word of all ranks those that are in every union. */
export function intersect(unions: readonly Union[]): SelectWord {
  return word => {
    let left = -1
    for (let at = 0; at < unions.length && left !== 0; at++) left &= uniteWord(unions[at]!, word)
    return left
  }
}

function uniteWord(union: Union, word: number): number {
  let united = 0
  for (let at = 0; at < union.length; at++) united |= union[at]![word]!
  return united
}

function addBits(bits: Bits, sums: readonly Bits[]): void {
  for (let word = 0; word < bits.length; word++) {
    let carry = bits[word]!
    for (let place = 0; carry !== 0; place++) {
      const sum = sums[place]!
      const part = sum[word]!
      sum[word] = part ^ carry
      carry &= part
    }
  }
}

/**
 * Finds the ranks from `start` to before `end` that are selected and pass a test: the lowest `max` of them,
 * rising.
 */
export function findRanks(
  select: SelectWord,
  { start, end, max }: { start: number; end: number; max: number },
  passes: (rank: number) => boolean,
): number[] {
  const ranks: number[] = []
  for (let word = start >>> 5; word * WORD_BITS < end; word++) {
    let left = select(word)
    if (word === start >>> 5) left &= -1 << (start & 31)
    for (; left !== 0; left &= left - 1) {
      const rank = word * WORD_BITS + (31 - Math.clz32(left & -left))
      if (rank >= end) break
      if (!passes(rank)) continue
      ranks.push(rank)
      if (ranks.length === max) return ranks
    }
  }
  return ranks
}
