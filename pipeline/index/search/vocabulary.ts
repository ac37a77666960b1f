import { isWithinOneEdit } from '../../core/one-edit.ts'
import type { Numbers32, PartsReader } from './file.ts'
import { Cursor } from './postings.ts'
import type { VocabularyContents } from './vocabulary-builder.ts'
import { keysOf, LONGEST, SHORTEST_MEANT, SHORTEST_TYPED } from './word-keys.ts'

/** Bytes that a character has at most. */
const CHARACTER = 4

/** Whether a word as it was typed is another one, or that one misspelled. */
export function mayMean(typed: ArrayLike<number>, meant: ArrayLike<number>): boolean {
  if (typed.length < SHORTEST_TYPED || meant.length < SHORTEST_MEANT) {
    return (
      typed.length === meant.length && Array.from(typed).every((point, i) => point === meant[i])
    )
  }
  return isWithinOneEdit(typed, meant)
}

/** The words of all entries, to be asked for those that a word may mean. */
export class Vocabulary {
  readonly #text: Uint8Array
  readonly #starts: Uint32Array
  readonly #bucketEnds: Uint32Array
  readonly #buckets: Numbers32
  readonly #counts: Uint32Array
  readonly #ends: Float64Array
  readonly #lists: Uint8Array

  constructor(file: PartsReader<unknown>, contents: VocabularyContents) {
    this.#text = file.uint8(contents.text)
    this.#starts = file.uint32(contents.starts)
    this.#bucketEnds = file.uint32(contents.bucketEnds)
    this.#buckets = file.numbers(contents.buckets)
    this.#counts = file.uint32(contents.counts)
    this.#ends = file.float64(contents.ends)
    this.#lists = file.uint8(contents.lists)
  }

  /** How many entries have a word. */
  countOf(word: number): number {
    return this.#counts[word]!
  }

  /** The entries that have it, rising. */
  entriesOf(word: number): Cursor {
    const start = word === 0 ? 0 : this.#ends[word - 1]!
    return new Cursor(this.#lists, start, this.#ends[word]!)
  }

  /** Numbers of the words that the one given as code points may mean. */
  meantBy(typed: readonly number[]): number[] {
    if (typed.length > LONGEST) return []
    const found = new Set<number>()
    const bytes = Buffer.from(String.fromCodePoint(...typed))
    for (const key of keysOf(typed, SHORTEST_TYPED)) {
      for (const word of this.#wordsWith(key)) {
        if (this.#isFar(word, bytes) || found.has(word)) continue
        if (mayMean(typed, this.#pointsOf(word))) found.add(word)
      }
    }
    return [...found]
  }

  /** Whether a word is soon seen to be more than one edit from the one whose bytes are given. */
  #isFar(word: number, bytes: Uint8Array): boolean {
    const start = this.#starts[word]!
    const end = this.#starts[word + 1]!
    if (Math.abs(end - start - bytes.length) > CHARACTER) return true
    // An edit leaves the first character of a word as it was, or the last one.
    return this.#text[start] !== bytes[0] && this.#text[end - 1] !== bytes[bytes.length - 1]
  }

  /** The words in the bucket of a key. */
  #wordsWith(key: number): Uint32Array {
    const bucket = key % this.#bucketEnds.length
    const start = bucket === 0 ? 0 : this.#bucketEnds[bucket - 1]!
    return this.#buckets.between(start, this.#bucketEnds[bucket]!)
  }

  #pointsOf(word: number): number[] {
    const points: number[] = []
    const end = this.#starts[word + 1]!
    for (let at = this.#starts[word]!; at < end; ) {
      const lead = this.#text[at++]!
      const more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
      let point = more === 0 ? lead : lead & (0x3f >> more)
      for (let i = 0; i < more; i++) point = (point << 6) | (this.#text[at++]! & 0x3f)
      points.push(point)
    }
    return points
  }
}
