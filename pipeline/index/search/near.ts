import { wordsOf } from '../../core/fold.ts'
import { pointsOf } from '../../core/one-edit.ts'
import type { Shelf } from './shelf.ts'
import type { Slices } from './slices.ts'
import { mayMean } from './vocabulary.ts'
import { SHORTEST_TYPED } from './word-keys.ts'

/** Of more words none is looked for misspelled. */
const MOST_WORDS = 8
/** So many entries are soon looked at, each whether it has the other words too. */
const FEW = 64
/** So many are soon sorted. */
const SORTED = 2_048
const PAUSE_EVERY = 256

/**
 * Entries in whose texts each word that is asked for stands, or one of four characters or more that
 * is one edit from it; rising, without those in `but`.
 */
export function* entriesNear(
  shelf: Shelf,
  folded: string,
  but: ReadonlySet<number>,
  limit = Number.POSITIVE_INFINITY,
): Slices<number[]> {
  const asked = [...new Set(wordsOf(folded))].map(pointsOf)
  if (asked.length > MOST_WORDS) return []
  const words = rarest(shelf, asked)
  if (words.length === 0) return []
  if (asked.length === 1) return (yield* having(shelf, words, but, limit)).slice(0, limit)
  const parts = asked.map(partsOf)
  const found: number[] = []
  let steps = 0
  for (const id of yield* having(shelf, words, but, Number.POSITIVE_INFINITY)) {
    if (found.length === limit) break
    const mayHave = parts.every(either => either.some(part => shelf.contains(id, part)))
    if (mayHave && hasAll(shelf, id, asked)) found.push(id)
    if (++steps % PAUSE_EVERY === 0) yield
  }
  return found
}

/** What one of the words may mean: of the one that few entries have, else that the fewest have. */
function rarest(shelf: Shelf, asked: readonly number[][]): number[] {
  let least = Number.POSITIVE_INFINITY
  let best: number[] = []
  for (const typed of [...asked].sort(soonestKnown)) {
    const words = shelf.words.meantBy(typed)
    const entries = words.reduce((sum, word) => sum + shelf.words.countOf(word), 0)
    if (entries >= least) continue
    least = entries
    best = words
    if (entries <= FEW) break
  }
  return best
}

/** A short word is looked up once and is often none; of the others the longest are the rarest. */
function soonestKnown(a: readonly number[], b: readonly number[]): number {
  const isShort = (typed: readonly number[]) => Number(typed.length < SHORTEST_TYPED)
  return isShort(b) - isShort(a) || b.length - a.length
}

/** Entries that have one of these words, rising; of each word the first ones, as many as are wanted. */
function* having(
  shelf: Shelf,
  words: readonly number[],
  but: ReadonlySet<number>,
  limit: number,
): Slices<number[]> {
  const taking = (word: number) => Math.min(shelf.words.countOf(word), limit)
  const few = words.reduce((sum, word) => sum + taking(word), 0) <= SORTED
  const some = new Set<number>()
  // Sorting many would take long at a stretch.
  const isIn = new Uint8Array(few ? 0 : shelf.count)
  let steps = 0
  for (const word of words) {
    const cursor = shelf.words.entriesOf(word)
    for (let taken = 0; taken < limit && cursor.next() < shelf.count; ) {
      if (++steps % (16 * PAUSE_EVERY) === 0) yield
      if (but.has(cursor.id)) continue
      if (few) some.add(cursor.id)
      else isIn[cursor.id] = 1
      taken++
    }
  }
  if (few) return [...some].sort((a, b) => a - b)
  const found: number[] = []
  for (let id = isIn.indexOf(1); id !== -1; id = isIn.indexOf(1, id + 1)) {
    found.push(id)
    if (found.length % (16 * PAUSE_EVERY) === 0) yield
  }
  return found
}

/**
 * One of these stands in every text that has a word which the typed one may mean: an edit leaves one
 * half of a word as it was, if it is not two neighbours in its very middle.
 */
function partsOf(typed: readonly number[]): Uint8Array[] {
  if (typed.length < SHORTEST_TYPED) return [bytesOf(typed)]
  const half = typed.length >> 1
  const changed = [...typed]
  changed[half - 1] = typed[half]!
  changed[half] = typed[half - 1]!
  return [typed.slice(0, half), typed.slice(half), changed].map(bytesOf)
}

function bytesOf(points: readonly number[]): Uint8Array {
  return Buffer.from(String.fromCodePoint(...points))
}

function hasAll(shelf: Shelf, id: number, asked: readonly number[][]): boolean {
  const words = shelf.wordsOf(id)
  return asked.every(typed => words.some(word => mayMean(typed, word)))
}
