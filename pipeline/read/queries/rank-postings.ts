// biome-ignore-all lint/style/noNonNullAssertion: sets have a bit for every rank, and equally many words

const WORD_BITS = 32

/** A set of ranks, a bit each. */
export type Bits = Uint32Array

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
    else if (ranks.length < this.#wordCount / 2) ranks.push(rank)
    else {
      const bits = this.#toSet(ranks)
      set(bits, rank)
      this.#ranksByKey.set(key, bits)
    }
  }

  /** Finds the set of each of these values that any agent has. They must not be written to. */
  find(facet: string, values: readonly string[]): Bits[] {
    return [...new Set(values)].flatMap(value => {
      const ranks = this.#ranksByKey.get(toKey(facet, value))
      if (ranks === undefined) return []
      return [Array.isArray(ranks) ? this.#toSet(ranks) : ranks]
    })
  }

  /** Unites sets. The result must not be written to. */
  unite(sets: readonly Bits[]): Bits {
    const [first] = sets
    if (first !== undefined && sets.length === 1) return first
    const united = this.#createEmptySet()
    for (const bits of sets)
      for (let word = 0; word < bits.length; word++) united[word]! |= bits[word]!
    return united
  }

  #createEmptySet(): Bits {
    return new Uint32Array(this.#wordCount)
  }

  #toSet(ranks: readonly number[]): Bits {
    const bits = this.#createEmptySet()
    for (const rank of ranks) set(bits, rank)
    return bits
  }
}

function toKey(facet: string, value: string): string {
  return `${facet} ${value}`
}

function set(bits: Bits, rank: number): void {
  bits[rank >>> 5]! |= 1 << (rank & 31)
}

/**
 * Counts for every rank how many of the sets have it, a word of ranks at a time: the sets of the ranks whose
 * count has 1 as its lowest binary digit, as its second lowest, and so on.
 */
export function countSets(sets: readonly Bits[]): Bits[] {
  const [first, ...others] = sets
  if (first === undefined) return []
  const digits: Bits[] = [first.slice()]
  while (1 << digits.length <= sets.length) digits.push(new Uint32Array(first.length))
  for (const bits of others) {
    for (let word = 0; word < bits.length; word++) {
      let carried = bits[word]!
      for (let i = 0; carried !== 0; i++) {
        const digit = digits[i]!
        const before = digit[word]!
        digit[word] = before ^ carried
        carried &= before
      }
    }
  }
  return digits
}

/** Reads the count of a rank. */
export function readCount(digits: readonly Bits[], rank: number): number {
  let count = 0
  for (let i = 0; i < digits.length; i++)
    count |= ((digits[i]![rank >>> 5]! >>> (rank & 31)) & 1) << i
  return count
}

/** Removes the ranks with this count from a set. */
export function removeCount(ranks: Bits, digits: readonly Bits[], count: number): void {
  for (let word = 0; word < ranks.length; word++) {
    let others = 0
    for (let i = 0; i < digits.length; i++) others |= digits[i]![word]! ^ -((count >>> i) & 1)
    ranks[word]! &= others
  }
}

/**
 * Finds the ranks from `start` to before `end` that are in every set and pass a test: the lowest `max`
 * of them, rising.
 */
export function intersectRanks(
  sets: readonly Bits[],
  { start, end, max }: { start: number; end: number; max: number },
  passes: (rank: number) => boolean,
): number[] {
  const ranks: number[] = []
  for (let word = start >>> 5; word * WORD_BITS < end; word++) {
    let left = word === start >>> 5 ? -1 << (start & 31) : -1
    for (let i = 0; i < sets.length; i++) left &= sets[i]![word]!
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
