// biome-ignore-all lint/style/noNonNullAssertion: the typed text has at least two characters here

import type { Collection } from './collection.ts'
import { EntrySet } from './entry-set.ts'
import { splitWords } from './fold.ts'
import { toCodePoints } from './one-edit.ts'
import type { Slices } from './slices.ts'
import { isMisspelled } from './vocabulary.ts'
import { TYPED_CHARS_MIN } from './word-keys.ts'

/** Words of a query at most; longer queries are not searched for misspellings. */
const WORDS_MAX = 8
/** Entries up to which each is checked for the other words, instead of reading the entries of these. */
const DIRECT_CHECK_MAX = 128
/** Cost of checking an entry, as a multiple of reading one from the list of a word. */
const READS_PER_CHECK = 64
const PAUSE_EVERY = 256

/** Words of the vocabulary that a typed word may stand for, and the number of entries that have them. */
interface Candidates {
  words: readonly number[]
  entries: number
}

/**
 * Finds entries whose texts contain each word, exactly or, from four characters on, within one edit. Returns
 * ids in rising order, without those in `excluded`. It starts with the entries of the rarest word and filters
 * them by the others.
 */
export function* findNear(
  collection: Collection,
  folded: string,
  excluded: ReadonlySet<number>,
  limit = Number.POSITIVE_INFINITY,
): Slices<number[]> {
  const typedWords = [...new Set(splitWords(folded))].map(toCodePoints)
  if (typedWords.length > WORDS_MAX) return []
  const [rarest, ...others] = listCandidates(collection, typedWords)
  if (rarest === undefined || rarest.entries === 0) return []
  const isAlone = typedWords.length === 1
  let having = yield* findFirstHaving(
    collection,
    rarest,
    excluded,
    isAlone ? limit : Number.POSITIVE_INFINITY,
  )
  if (isAlone) return (yield* having.iterateAscending()).slice(0, limit)
  let max = rarest.entries
  for (const other of others) {
    if (max <= DIRECT_CHECK_MAX || other.entries > READS_PER_CHECK * max) break
    having = yield* filterHaving(collection, other, having, max)
    max = having.size
  }
  return yield* findFirstHavingAll(collection, yield* having.iterateAscending(), typedWords, limit)
}

/**
 * Lists the candidates of the typed words, those with the fewest entries first. It stops early at a word so
 * rare that checking its entries is cheaper than looking up the other words.
 */
function listCandidates(collection: Collection, typedWords: readonly number[][]): Candidates[] {
  const candidates: Candidates[] = []
  for (const typed of [...typedWords].sort(compareSelectivity)) {
    const words = collection.words.findWithinOneEdit(typed)
    const entries = words.reduce((sum, word) => sum + collection.words.count(word), 0)
    candidates.push({ words, entries })
    if (entries <= DIRECT_CHECK_MAX) break
  }
  return candidates.sort((a, b) => a.entries - b.entries)
}

/**
 * Compares words by selectivity. A short word is found by one lookup and often matches nothing; of the
 * others the longest are the rarest.
 */
function compareSelectivity(a: readonly number[], b: readonly number[]): number {
  const isShort = (typed: readonly number[]) => Number(typed.length < TYPED_CHARS_MIN)
  return isShort(b) - isShort(a) || b.length - a.length
}

/** Finds entries that have one of these words; of each word the first ones, up to the limit. */
function* findFirstHaving(
  collection: Collection,
  { words }: Candidates,
  excluded: ReadonlySet<number>,
  limit: number,
): Slices<EntrySet> {
  const max = words.reduce((sum, word) => sum + Math.min(collection.words.count(word), limit), 0)
  const having = new EntrySet(collection.count, max)
  let visited = 0
  for (const word of words) {
    const cursor = collection.words.readEntries(word)
    for (let read = 0; read < limit && cursor.next() < collection.count; ) {
      if (++visited % (16 * PAUSE_EVERY) === 0) yield
      if (excluded.has(cursor.id)) continue
      having.add(cursor.id)
      read++
    }
  }
  return having
}

/** Filters `among`, at most `max` entries, to those that have one of these words too. */
function* filterHaving(
  collection: Collection,
  { words, entries }: Candidates,
  among: EntrySet,
  max: number,
): Slices<EntrySet> {
  const having = new EntrySet(collection.count, Math.min(entries, max))
  let visited = 0
  for (const word of words) {
    const cursor = collection.words.readEntries(word)
    while (cursor.next() < collection.count) {
      if (among.has(cursor.id)) having.add(cursor.id)
      if (++visited % (16 * PAUSE_EVERY) === 0) yield
    }
  }
  return having
}

/** Finds the first of these entries whose texts contain each word, exactly or within one edit. */
function* findFirstHavingAll(
  collection: Collection,
  ids: readonly number[],
  typedWords: readonly number[][],
  limit: number,
): Slices<number[]> {
  const parts = typedWords.map(listRequiredParts)
  const found: number[] = []
  let visited = 0
  for (const id of ids) {
    if (found.length === limit) break
    const mayHave = parts.every(either => either.some(part => collection.contains(id, part)))
    if (mayHave && hasAll(collection, id, typedWords)) found.push(id)
    if (++visited % PAUSE_EVERY === 0) yield
  }
  return found
}

/**
 * Lists parts of which any text within one edit of a word contains one: an edit leaves the first or
 * the second half unchanged, unless it swaps the two characters in the middle.
 */
function listRequiredParts(typed: readonly number[]): Uint8Array[] {
  if (typed.length < TYPED_CHARS_MIN) return [encodePoints(typed)]
  const middle = typed.length >> 1
  const changed = [...typed]
  changed[middle - 1] = typed[middle]!
  changed[middle] = typed[middle - 1]!
  return [typed.slice(0, middle), typed.slice(middle), changed].map(encodePoints)
}

function encodePoints(points: readonly number[]): Uint8Array {
  return Buffer.from(String.fromCodePoint(...points))
}

function hasAll(collection: Collection, id: number, typedWords: readonly number[][]): boolean {
  const words = collection.readWords(id)
  return typedWords.every(typed => words.some(word => isMisspelled(typed, word)))
}
