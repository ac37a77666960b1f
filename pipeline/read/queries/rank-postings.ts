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
  /** Values by facet, listed when they are first asked for; nothing is added to postings that are searched. */
  #valuesByFacet: Map<string, string[]> | undefined

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

  /** Tells whether any agent has a value. */
  has(facet: string, value: string): boolean {
    return this.#ranksByKey.has(toKey(facet, value))
  }

  /** Lists the values of a facet that any agent has. */
  listValues(facet: string): readonly string[] {
    this.#valuesByFacet ??= this.#groupValues()
    return this.#valuesByFacet.get(facet) ?? []
  }

  #groupValues(): Map<string, string[]> {
    const values = new Map<string, string[]>()
    for (const key of this.#ranksByKey.keys()) {
      const end = key.indexOf(' ')
      const facet = key.slice(0, end)
      const known = values.get(facet)
      if (known === undefined) values.set(facet, [key.slice(end + 1)])
      else known.push(key.slice(end + 1))
    }
    return values
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
 * Walks the ranks from `start` to before `end` that are in a set of each group, rising. `visit` gets with each how many
 * sets of the first `counted` groups have it, and returns false when it wants no more with that count.
 */
export function walkRanks(
  groups: readonly (readonly Bits[])[],
  { start, end, counted }: { start: number; end: number; counted: number },
  visit: (rank: number, count: number) => boolean,
): void {
  const sets = groups.slice(0, counted).flat()
  const digits = new Int32Array(32 - Math.clz32(sets.length))
  const full: number[] = []
  for (let word = start >>> 5; word * WORD_BITS < end; word++) {
    let left = intersectWord(groups, word)
    if (word === start >>> 5) left &= -1 << (start & 31)
    if (left === 0) continue
    countWord(sets, word, digits)
    for (let i = 0; i < full.length; i++) left &= ~findCount(digits, full[i]!)
    while (left !== 0) {
      const bit = 31 - Math.clz32(left & -left)
      left &= left - 1
      const rank = word * WORD_BITS + bit
      if (rank >= end) return
      const count = readCount(digits, bit)
      if (visit(rank, count)) continue
      left &= ~findCount(digits, count)
      // A rank is in at least one set of each counted group.
      const countsLeft = sets.length - counted + 1 - full.push(count)
      if (countsLeft === 0) return
      if (countsLeft === 1 && !full.includes(sets.length)) {
        const all = [...sets.map(bits => [bits]), ...groups.slice(counted)]
        return walkRanks(all, { start: rank + 1, end, counted: 0 }, each =>
          visit(each, sets.length),
        )
      }
    }
  }
}

/** Intersects the unions of the groups: a word of 32 ranks. */
function intersectWord(groups: readonly (readonly Bits[])[], word: number): number {
  let left = -1
  for (let i = 0; i < groups.length; i++) {
    const sets = groups[i]!
    let united = 0
    for (let j = 0; j < sets.length; j++) united |= sets[j]![word]!
    left &= united
  }
  return left
}

/**
 * Counts for 32 ranks at once how many of the sets have each: a word of the ranks whose count has 1 as its lowest binary
 * digit, one as its second lowest, and so on.
 */
function countWord(sets: readonly Bits[], word: number, digits: Int32Array): void {
  for (let i = 0; i < digits.length; i++) digits[i] = 0
  for (let j = 0; j < sets.length; j++) {
    let carried = sets[j]![word]!
    for (let i = 0; carried !== 0; i++) {
      const before = digits[i]!
      digits[i] = before ^ carried
      carried &= before
    }
  }
}

/** Reads the count of one of 32 ranks. */
function readCount(digits: Int32Array, bit: number): number {
  let count = 0
  for (let i = 0; i < digits.length; i++) count |= ((digits[i]! >>> bit) & 1) << i
  return count
}

/** Finds those of 32 ranks that have this count. */
function findCount(digits: Int32Array, count: number): number {
  let others = 0
  for (let i = 0; i < digits.length; i++) others |= digits[i]! ^ -((count >>> i) & 1)
  return ~others
}
