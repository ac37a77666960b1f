// biome-ignore-all lint/style/noNonNullAssertion: numbers are those of words, and starts have one more

import { toCodePoints } from './one-edit.ts'
import type { PartLocation } from './parts-layout.ts'
import type { PartsWriter } from './parts-writer.ts'
import { PostingsBuffer } from './postings.ts'
import { FUZZY_CHARS_MIN, hashVariants, WORD_CHARS_MAX } from './word-keys.ts'

/** Average number of keys in a bucket. */
const KEYS_PER_BUCKET = 8

/** Positions of the words of a collection. */
export interface VocabularyContents {
  text: PartLocation
  starts: PartLocation
  /** End of each bucket of keys, and the numbers of its words. */
  bucketEnds: PartLocation
  buckets: PartLocation
  counts: PartLocation
  /** End of each list of entries, counted from `lists`. */
  ends: PartLocation
  lists: PartLocation
}

/** Collects the words of all entries, each with the entries that have it. */
export class VocabularyBuilder {
  readonly #numbers = new Map<string, number>()
  #pairs = new Uint32Array(1024)
  #length = 0

  /** Adds an entry; entries are added in order. */
  add(id: number, words: Iterable<string>): void {
    for (const word of new Set(words)) {
      let number = this.#numbers.get(word)
      if (number === undefined) {
        if (word.length > WORD_CHARS_MAX && toCodePoints(word).length > WORD_CHARS_MAX) continue
        number = this.#numbers.size
        this.#numbers.set(word, number)
      }
      this.#push(number, id)
    }
  }

  /** Writes the vocabulary; returns where its parts are. */
  write(file: PartsWriter): VocabularyContents {
    const words = [...this.#numbers.keys()]
    const starts = new Uint32Array(words.length + 1)
    for (const [i, word] of words.entries()) starts[i + 1] = starts[i]! + Buffer.byteLength(word)
    return {
      text: file.part(Buffer.from(words.join(''))),
      starts: file.part(starts),
      ...fillBuckets(file, words),
      ...this.#writeLists(file, words.length),
    }
  }

  /** Writes the entries of each word, sorted by counting: pairs were added in the order of entries. */
  #writeLists(file: PartsWriter, size: number) {
    const pairs = this.#pairs
    const counts = new Uint32Array(size)
    for (let i = 0; i < this.#length; i += 2) counts[pairs[i]!]!++
    const next = new Uint32Array(size)
    for (let n = 1; n < size; n++) next[n] = next[n - 1]! + counts[n - 1]!
    const ids = new Uint32Array(this.#length / 2)
    for (let i = 0; i < this.#length; i += 2) ids[next[pairs[i]!]!++] = pairs[i + 1]!
    const packed = new PostingsBuffer()
    const ends = new Float64Array(size)
    for (let number = 0, at = 0; number < size; number++) {
      for (let before = 0; at < next[number]!; at++) {
        packed.add(ids[at]! + 1 - before)
        before = ids[at]! + 1
      }
      ends[number] = packed.length
    }
    return {
      counts: file.part(counts),
      ends: file.part(ends),
      lists: file.part(packed.slice()),
    }
  }

  #push(number: number, id: number): void {
    if (this.#length === this.#pairs.length) {
      const larger = new Uint32Array(2 * this.#pairs.length)
      larger.set(this.#pairs)
      this.#pairs = larger
    }
    this.#pairs[this.#length++] = number
    this.#pairs[this.#length++] = id
  }
}

/** Writes the buckets of a hash table, sorted by counting: each word is in the bucket of each of its keys. */
function fillBuckets(file: PartsWriter, words: readonly string[]) {
  const keys = words.reduce((sum, word) => sum + word.length + 1, 0)
  const ends = new Uint32Array(Math.max(1, Math.ceil(keys / KEYS_PER_BUCKET)))
  const eachKey = (found: (bucket: number, number: number) => void) => {
    for (let number = 0; number < words.length; number++) {
      const points = toCodePoints(words[number]!)
      for (const key of hashVariants(points, FUZZY_CHARS_MIN)) found(key % ends.length, number)
    }
  }
  let total = 0
  eachKey(bucket => {
    ends[bucket]!++
    total++
  })
  const next = new Uint32Array(ends.length)
  for (let bucket = 1; bucket < ends.length; bucket++) {
    next[bucket] = ends[bucket - 1]!
    ends[bucket]! += ends[bucket - 1]!
  }
  const buckets = new Uint32Array(total)
  eachKey((bucket, number) => {
    buckets[next[bucket]!++] = number
  })
  return { bucketEnds: file.part(ends), buckets: file.part(buckets) }
}
