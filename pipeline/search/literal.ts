// biome-ignore-all lint/style/noNonNullAssertion: ids are those of entries, and gains those of ranks

import type { Collection, Rank } from './collection.ts'
import type { Range } from './range.ts'
import type { Slices } from './slices.ts'
import { SORTED_BYTES } from './suffix-sorter.ts'
import { buildPatterns } from './texts.ts'

/** Maximum number of positions that are checked one by one. */
const DIRECT_CHECK_MAX = 48
/** Maximum number of entries that are sorted directly. */
const SORTED_ENTRIES_MAX = 2_048
/** Entries after which other requests run. */
const ENTRIES_PER_TURN = 4_096
/** A mark before a text, and one behind it. */
const RANK_BITS = 2

/** Finds the first entries that contain a text, the best first, and whether one of them has it as its name. */
export function* findFirstContaining(
  collection: Collection,
  folded: string,
  limit: number,
): Slices<{ ids: number[]; isCalledSo: boolean }> {
  const { is, begins: beginsWith, contains } = buildPatterns(folded)
  const suffixes = collection.suffixes.startingWith(contains)
  if (measureRange(suffixes) <= DIRECT_CHECK_MAX || contains.length + RANK_BITS > SORTED_BYTES) {
    const { called, beginning, containing } = yield* rankContaining(collection, contains, suffixes)
    const ids = called.concat(beginning, containing).slice(0, limit)
    return { ids, isCalledSo: called.length > 0 }
  }
  const beginning = collection.suffixes.startingWith(beginsWith)
  const called =
    measureRange(beginning) === 0 ? beginning : collection.suffixes.findFirst(beginning, is)
  const found = new Set<number>()
  for (const range of [called, beginning, suffixes]) {
    if (found.size === limit) break
    // Of this many, at least the missing ones are new.
    for (const id of collection.suffixes.smallestIds(range, limit))
      if (found.size < limit) found.add(id)
  }
  const isCalledSo = measureRange(called) > 0
  return { ids: [...found], isCalledSo }
}

/** Finds all entries that contain a text, best matches first. */
export function* findAllContaining(collection: Collection, folded: string): Slices<number[]> {
  const { contains } = buildPatterns(folded)
  const suffixes = collection.suffixes.startingWith(contains)
  const { called, beginning, containing } = yield* rankContaining(collection, contains, suffixes)
  return called.concat(beginning, containing)
}

/** Entries by how they hold a text at best, each of the lists rising. */
interface ByRank {
  called: number[]
  beginning: number[]
  containing: number[]
}

/** Ranks each place at which a text may occur. */
function* rankContaining(
  collection: Collection,
  text: Uint8Array,
  suffixes: Range,
): Slices<ByRank> {
  // Sorting many would take long at a stretch.
  const best =
    measureRange(suffixes) <= SORTED_ENTRIES_MAX
      ? new SparseRanks()
      : new DenseRanks(collection.count)
  for (let start = suffixes.start; start < suffixes.end; start += ENTRIES_PER_TURN) {
    const end = Math.min(suffixes.end, start + ENTRIES_PER_TURN)
    for (const suffix of collection.suffixes.listPositions({ start, end })) {
      if (text.length > SORTED_BYTES && !collection.isAt(suffix, text)) continue
      best.add(collection.owners.findEntry(suffix), collection.rankAt(suffix, text.length))
    }
    yield
  }
  return yield* best.byRank()
}

/** The best rank of each of few entries. */
class SparseRanks {
  readonly #ranks = new Map<number, Rank>()

  add(id: number, rank: Rank): void {
    const known = this.#ranks.get(id)
    if (known === undefined || rank < known) this.#ranks.set(id, rank)
  }

  // biome-ignore lint/correctness/useYield: few are soon sorted
  *byRank(): Slices<ByRank> {
    const lists = createEmptyByRank()
    const ids = Uint32Array.from(this.#ranks.keys()).sort()
    for (const id of ids) lists[names[this.#ranks.get(id)!]].push(id)
    return lists
  }
}

/** Collects many ranked entries. */
class DenseRanks {
  /** Per entry by how much its rank is better than no match. */
  readonly #gains: Uint8Array

  constructor(count: number) {
    this.#gains = new Uint8Array(count)
  }

  add(id: number, rank: Rank): void {
    const gain = names.length - rank
    if (gain > this.#gains[id]!) this.#gains[id] = gain
  }

  *byRank(): Slices<ByRank> {
    const lists = createEmptyByRank()
    for (let id = 0; id < this.#gains.length; id++) {
      const gain = this.#gains[id]!
      if (gain > 0) lists[names[names.length - gain]!].push(id)
      if (id % ENTRIES_PER_TURN === 0) yield
    }
    return lists
  }
}

/** Ranks as they are called here. */
const names = ['called', 'beginning', 'containing'] as const

function createEmptyByRank(): ByRank {
  return { called: [], beginning: [], containing: [] }
}

function measureRange({ start, end }: Range): number {
  return end - start
}
