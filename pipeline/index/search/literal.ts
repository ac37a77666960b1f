import type { Range } from './range.ts'
import type { Rank, Shelf } from './shelf.ts'
import type { Slices } from './slices.ts'
import { ORDERED } from './suffix-sorter.ts'
import { needlesOf } from './texts.ts'

/** So many places are soon looked at, each. */
const FEW = 48
/** So many entries are soon sorted. */
const SORTED = 2_048
const PAUSE_EVERY = 4_096
/** A mark before a text, and one behind it. */
const MARKS = 2

/** The first of those that contain a text, the best ones first, and whether one of them is called so. */
export function* firstHolding(
  shelf: Shelf,
  folded: string,
  limit: number,
): Slices<{ ids: number[]; isCalledSo: boolean }> {
  const { is, begins, contains } = needlesOf(folded)
  const places = shelf.suffixes.startingWith(contains)
  if (sizeOf(places) <= FEW || contains.length + MARKS > ORDERED) {
    const { called, begun, containing } = yield* holding(shelf, contains, places)
    const ids = called.concat(begun, containing).slice(0, limit)
    return { ids, isCalledSo: called.length > 0 }
  }
  const begun = shelf.suffixes.startingWith(begins)
  const called = sizeOf(begun) === 0 ? begun : shelf.suffixes.firstOf(begun, is)
  const found = new Set<number>()
  for (const range of [called, begun, places]) {
    if (found.size === limit) break
    // Of so many at least the missing ones are new.
    for (const id of shelf.suffixes.leastOf(range, limit)) if (found.size < limit) found.add(id)
  }
  const isCalledSo = sizeOf(called) > 0
  return { ids: [...found], isCalledSo }
}

/** Everything that contains a text, by how well it does. */
export function* allHolding(shelf: Shelf, folded: string): Slices<number[]> {
  const { contains } = needlesOf(folded)
  const places = shelf.suffixes.startingWith(contains)
  const { called, begun, containing } = yield* holding(shelf, contains, places)
  return called.concat(begun, containing)
}

/** Entries by how they hold a text at best, each of the lists rising. */
interface ByRank {
  called: number[]
  begun: number[]
  containing: number[]
}

/** Looks at each place where a text may stand. */
function* holding(shelf: Shelf, text: Uint8Array, places: Range): Slices<ByRank> {
  // Sorting many would take long at a stretch.
  const best = sizeOf(places) <= SORTED ? new FewRanks() : new ManyRanks(shelf.count)
  for (let start = places.start; start < places.end; start += PAUSE_EVERY) {
    const end = Math.min(places.end, start + PAUSE_EVERY)
    for (const place of shelf.suffixes.placesOf({ start, end })) {
      if (text.length > ORDERED && !shelf.isAt(place, text)) continue
      best.add(shelf.owners.of(place), shelf.rankAt(place, text.length))
    }
    yield
  }
  return yield* best.byRank()
}

/** The best rank of each of few entries. */
class FewRanks {
  readonly #ranks = new Map<number, Rank>()

  add(id: number, rank: Rank): void {
    const known = this.#ranks.get(id)
    if (known === undefined || rank < known) this.#ranks.set(id, rank)
  }

  // biome-ignore lint/correctness/useYield: few are soon sorted
  *byRank(): Slices<ByRank> {
    const lists = noneByRank()
    const ids = Uint32Array.from(this.#ranks.keys()).sort()
    for (const id of ids) lists[names[this.#ranks.get(id)!]].push(id)
    return lists
  }
}

/** The same of many. */
class ManyRanks {
  /** Of each entry by how much its rank is better than none. */
  readonly #marks: Uint8Array

  constructor(count: number) {
    this.#marks = new Uint8Array(count)
  }

  add(id: number, rank: Rank): void {
    const mark = names.length - rank
    if (mark > this.#marks[id]!) this.#marks[id] = mark
  }

  *byRank(): Slices<ByRank> {
    const lists = noneByRank()
    for (let id = 0; id < this.#marks.length; id++) {
      const mark = this.#marks[id]!
      if (mark > 0) lists[names[names.length - mark]!].push(id)
      if (id % PAUSE_EVERY === 0) yield
    }
    return lists
  }
}

/** Ranks as they are called here. */
const names = ['called', 'begun', 'containing'] as const

function noneByRank(): ByRank {
  return { called: [], begun: [], containing: [] }
}

function sizeOf({ start, end }: Range): number {
  return end - start
}
