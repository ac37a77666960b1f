// biome-ignore-all lint/style/noNonNullAssertion: numbers are those of words, and starts have one more

import { isWithinOneEdit } from './one-edit.ts'
import type { Bytes, Numbers32, PartsReader } from './parts-reader.ts'
import { Cursor } from './postings.ts'
import type { VocabularyContents } from './vocabulary-builder.ts'
import { FUZZY_CHARS_MIN, hashVariants, TYPED_CHARS_MIN, WORD_CHARS_MAX } from './word-keys.ts'

/** Bytes of the longest character in UTF-8. */
const CHARACTER_BYTES_MAX = 4

/** Tells whether a typed word is another word, or that word misspelled. */
export function isMisspelled(typed: ArrayLike<number>, candidate: ArrayLike<number>): boolean {
  if (typed.length < TYPED_CHARS_MIN || candidate.length < FUZZY_CHARS_MIN) {
    return (
      typed.length === candidate.length &&
      Array.from(typed).every((point, i) => point === candidate[i])
    )
  }
  return isWithinOneEdit(typed, candidate)
}

/** The words of all entries, with lookups of words within one edit. */
export class Vocabulary {
  readonly #text: Uint8Array
  readonly #starts: Uint32Array
  readonly #bucketEnds: Uint32Array
  readonly #buckets: Numbers32
  readonly #counts: Uint32Array
  readonly #ends: Float64Array
  readonly #lists: Bytes

  constructor(file: PartsReader<unknown>, contents: VocabularyContents) {
    this.#text = file.loadBytes(contents.text)
    this.#starts = file.loadNumbers(contents.starts)
    this.#bucketEnds = file.loadNumbers(contents.bucketEnds)
    this.#buckets = file.numbers(contents.buckets)
    this.#counts = file.loadNumbers(contents.counts)
    this.#ends = file.loadDoubles(contents.ends)
    this.#lists = file.bytes(contents.lists)
  }

  /** Counts the entries that have a word. */
  count(word: number): number {
    return this.#counts[word]!
  }

  /** Reads the entries that have a word, rising. */
  readEntries(word: number): Cursor {
    const start = word === 0 ? 0 : this.#ends[word - 1]!
    return new Cursor(this.#lists, start, this.#ends[word]!)
  }

  /** Finds the words, by number, within one edit of a typed word that is given as code points. */
  findWithinOneEdit(typed: readonly number[]): number[] {
    if (typed.length > WORD_CHARS_MAX) return []
    const found = new Set<number>()
    const bytes = Buffer.from(String.fromCodePoint(...typed))
    for (const key of hashVariants(typed, TYPED_CHARS_MIN)) {
      for (const word of this.#wordsWith(key)) {
        if (this.#isBeyondOneEdit(word, bytes) || found.has(word)) continue
        if (isMisspelled(typed, this.#readCodePoints(word))) found.add(word)
      }
    }
    return [...found]
  }

  /** Tells quickly whether a word is more than one edit from the word with these bytes. */
  #isBeyondOneEdit(word: number, bytes: Uint8Array): boolean {
    const start = this.#starts[word]!
    const end = this.#starts[word + 1]!
    if (Math.abs(end - start - bytes.length) > CHARACTER_BYTES_MAX) return true
    // An edit leaves the first character of a word as it was, or the last one.
    return this.#text[start] !== bytes[0] && this.#text[end - 1] !== bytes[bytes.length - 1]
  }

  /** Lists the words in the bucket of a key. */
  #wordsWith(key: number): Uint32Array {
    const bucket = key % this.#bucketEnds.length
    const start = bucket === 0 ? 0 : this.#bucketEnds[bucket - 1]!
    return this.#buckets.between(start, this.#bucketEnds[bucket]!)
  }

  /** Decodes a word from UTF-8 without a string in between. */
  #readCodePoints(word: number): number[] {
    const points: number[] = []
    const end = this.#starts[word + 1]!
    for (let at = this.#starts[word]!; at < end; ) {
      const firstByte = this.#text[at++]!
      const more = firstByte < 0x80 ? 0 : firstByte < 0xe0 ? 1 : firstByte < 0xf0 ? 2 : 3
      let point = more === 0 ? firstByte : firstByte & (0x3f >> more)
      for (let i = 0; i < more; i++) point = (point << 6) | (this.#text[at++]! & 0x3f)
      points.push(point)
    }
    return points
  }
}
