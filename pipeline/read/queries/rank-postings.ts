const WORD_BITS = 32

/** A set of ranks, a bit each. */
export type Bits = Uint32Array

/** Sets of which any one is enough. They are united lazily, since a page rarely needs all of them. */
export type Union = readonly Bits[]

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
  /** A counter for every rank: new ones for each search would be most of its garbage. */
  readonly #counts: Uint16Array

  private constructor({ words, sets }: PostingParts) {
    this.#wordCount = words
    this.#ranksByKey = sets
    this.#counts = new Uint16Array(words * WORD_BITS)
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

  /** Counts, for every rank, how many of these values by facet it has. Valid until the next count. */
  count(valuesByFacet: ReadonlyMap<string, readonly string[]>): Uint16Array {
    const counts = this.#counts
    counts.fill(0)
    for (const [facet, values] of valuesByFacet) {
      for (const value of new Set(values)) {
        const ranks = this.#ranksByKey.get(toKey(facet, value)) ?? []
        if (Array.isArray(ranks)) for (const rank of ranks) addMatch(counts, rank)
        else countBits(ranks, counts)
      }
    }
    return counts
  }

  #createEmptySet(): Bits {
    return new Uint32Array(this.#wordCount)
  }
}

function countBits(bits: Bits, counts: Uint16Array): void {
  for (const [word, part] of bits.entries()) {
    for (let left = part; left !== 0; left &= left - 1) {
      addMatch(counts, word * WORD_BITS + (31 - Math.clz32(left & -left)))
    }
  }
}

function addMatch(counts: Uint16Array, rank: number): void {
  // biome-ignore lint/style/noNonNullAssertion: there is a counter for every rank
  counts[rank]! += 1
}

function toKey(facet: string, value: string): string {
  return `${facet} ${value}`
}

function set(bits: Bits, rank: number): void {
  // biome-ignore lint/style/noNonNullAssertion: sets have a bit for every rank
  bits[rank >>> 5]! |= 1 << (rank & 31)
}

/**
 * Finds the ranks from `start` to before `end` that are in every union and pass a test: the lowest `max`
 * of them, rising.
 */
export function intersectRanks(
  unions: readonly Union[],
  { start, end, max }: { start: number; end: number; max: number },
  passes: (rank: number) => boolean,
): number[] {
  const ranks: number[] = []
  for (let word = start >>> 5; word * WORD_BITS < end; word++) {
    let left = -1
    for (const union of unions) left &= uniteWord(union, word)
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

function uniteWord(union: Union, word: number): number {
  let united = 0
  // biome-ignore lint/style/noNonNullAssertion: sets have equally many words
  for (const bits of union) united |= bits[word]!
  return united
}
