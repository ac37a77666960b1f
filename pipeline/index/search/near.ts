import { wordsOf } from '../../core/fold.ts'
import { pointsOf } from '../../core/one-edit.ts'
import { EntrySet } from './entry-set.ts'
import type { Shelf } from './shelf.ts'
import type { Slices } from './slices.ts'
import { mayMean } from './vocabulary.ts'
import { SHORTEST_TYPED } from './word-keys.ts'

/** Of more words none is looked for misspelled. */
const MOST_WORDS = 8
/** So many entries are soon looked at, each whether it has the other words too. */
const FEW = 128
/** To look at an entry takes as long as to read that it has a word, so many times. */
const LOOKING = 64
const PAUSE_EVERY = 256

/** What a word that was typed may mean, and how many entries these words have together. */
interface Meaning {
  words: readonly number[]
  entries: number
}

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
  const [rarest, ...others] = meaningsOf(shelf, asked)
  if (rarest === undefined || rarest.entries === 0) return []
  const isAlone = asked.length === 1
  let having = yield* firstHaving(shelf, rarest, but, isAlone ? limit : Number.POSITIVE_INFINITY)
  if (isAlone) return (yield* having.rising()).slice(0, limit)
  let most = rarest.entries
  for (const other of others) {
    if (most <= FEW || other.entries > LOOKING * most) break
    having = yield* alsoHaving(shelf, other, having, most)
    most = having.size
  }
  return yield* firstHavingAll(shelf, yield* having.rising(), asked, limit)
}

/** What the words may mean, as far as it helps to know: what the fewest entries have comes first. */
function meaningsOf(shelf: Shelf, asked: readonly number[][]): Meaning[] {
  const meanings: Meaning[] = []
  for (const typed of [...asked].sort(soonestKnown)) {
    const words = shelf.words.meantBy(typed)
    const entries = words.reduce((sum, word) => sum + shelf.words.countOf(word), 0)
    meanings.push({ words, entries })
    if (entries <= FEW) break
  }
  return meanings.sort((a, b) => a.entries - b.entries)
}

/** A short word is looked up once and is often none; of the others the longest are the rarest. */
function soonestKnown(a: readonly number[], b: readonly number[]): number {
  const isShort = (typed: readonly number[]) => Number(typed.length < SHORTEST_TYPED)
  return isShort(b) - isShort(a) || b.length - a.length
}

/** Entries that have one of these words; of each word the first ones, as many as are wanted. */
function* firstHaving(
  shelf: Shelf,
  { words }: Meaning,
  but: ReadonlySet<number>,
  limit: number,
): Slices<EntrySet> {
  const most = words.reduce((sum, word) => sum + Math.min(shelf.words.countOf(word), limit), 0)
  const having = new EntrySet(shelf.count, most)
  let steps = 0
  for (const word of words) {
    const cursor = shelf.words.entriesOf(word)
    for (let taken = 0; taken < limit && cursor.next() < shelf.count; ) {
      if (++steps % (16 * PAUSE_EVERY) === 0) yield
      if (but.has(cursor.id)) continue
      having.add(cursor.id)
      taken++
    }
  }
  return having
}

/** Those of `among`, which are `most` at most, that have one of these words too. */
function* alsoHaving(
  shelf: Shelf,
  { words, entries }: Meaning,
  among: EntrySet,
  most: number,
): Slices<EntrySet> {
  const having = new EntrySet(shelf.count, Math.min(entries, most))
  let steps = 0
  for (const word of words) {
    const cursor = shelf.words.entriesOf(word)
    while (cursor.next() < shelf.count) {
      if (among.has(cursor.id)) having.add(cursor.id)
      if (++steps % (16 * PAUSE_EVERY) === 0) yield
    }
  }
  return having
}

/** The first of these entries in whose texts each word stands as it was typed, or as it may be meant. */
function* firstHavingAll(
  shelf: Shelf,
  ids: readonly number[],
  asked: readonly number[][],
  limit: number,
): Slices<number[]> {
  const parts = asked.map(partsOf)
  const found: number[] = []
  let steps = 0
  for (const id of ids) {
    if (found.length === limit) break
    const mayHave = parts.every(either => either.some(part => shelf.contains(id, part)))
    if (mayHave && hasAll(shelf, id, asked)) found.push(id)
    if (++steps % PAUSE_EVERY === 0) yield
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
