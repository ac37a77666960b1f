import { pointsOf } from '../../core/one-edit.ts'
import type { PartsWriter, Place } from './file.ts'
import { PostingsBuffer } from './postings.ts'
import { keysOf, LONGEST, SHORTEST_MEANT } from './word-keys.ts'

/** How many words share a bucket, about. */
const IN_A_BUCKET = 8

/** Where the words of a collection stand. */
export interface VocabularyContents {
  text: Place
  starts: Place
  /** Where the words of each bucket of keys end, and their numbers. */
  bucketEnds: Place
  buckets: Place
  counts: Place
  /** Where each list of entries ends, counted from `lists`. */
  ends: Place
  lists: Place
}

/** Collects the words of all entries. */
export class VocabularyBuilder {
  readonly #numbers = new Map<string, number>()
  #pairs = new Uint32Array(1024)
  #length = 0

  /** Entries come in their order. */
  add(id: number, words: Iterable<string>): void {
    for (const word of new Set(words)) {
      let number = this.#numbers.get(word)
      if (number === undefined) {
        if (word.length > LONGEST && pointsOf(word).length > LONGEST) continue
        number = this.#numbers.size
        this.#numbers.set(word, number)
      }
      this.#push(number, id)
    }
  }

  write(file: PartsWriter): VocabularyContents {
    const words = [...this.#numbers.keys()]
    const starts = new Uint32Array(words.length + 1)
    for (const [i, word] of words.entries()) starts[i + 1] = starts[i]! + Buffer.byteLength(word)
    return {
      text: file.part(Buffer.from(words.join(''))),
      starts: file.part(starts),
      ...bucketsOf(file, words),
      ...this.#lists(file, words.length),
    }
  }

  #lists(file: PartsWriter, size: number) {
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

/** Each word in the bucket of each of its keys. */
function bucketsOf(file: PartsWriter, words: readonly string[]) {
  const keys = words.reduce((sum, word) => sum + word.length + 1, 0)
  const ends = new Uint32Array(Math.max(1, Math.ceil(keys / IN_A_BUCKET)))
  const eachKey = (found: (bucket: number, number: number) => void) => {
    for (let number = 0; number < words.length; number++) {
      const points = pointsOf(words[number]!)
      for (const key of keysOf(points, SHORTEST_MEANT)) found(key % ends.length, number)
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
