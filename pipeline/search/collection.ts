// biome-ignore-all lint/style/noNonNullAssertion: ids are those of entries, and starts have one more

import { Owners } from './owners.ts'
import type { PartLocation } from './parts-layout.ts'
import type { Bytes, PartsReader } from './parts-reader.ts'
import { Suffixes } from './suffixes.ts'
import type { SuffixesContents } from './suffixes-builder.ts'
import { END, NAME, splitWordsInRun } from './texts.ts'
import { Vocabulary } from './vocabulary.ts'
import type { VocabularyContents } from './vocabulary-builder.ts'

/** Positions of the parts of one collection. */
export interface CollectionContents {
  count: number
  texts: PartLocation
  /** Start of each entry's texts, and of its item, counted from `items`. */
  textStarts: PartLocation
  itemStarts: PartLocation
  flags: PartLocation
  items: PartLocation
  suffixes: SuffixesContents
  words: VocabularyContents
}

/** Ranks of a match, best first: the text is a name of the entry, begins one, or is anywhere in its texts. */
export const ranks = { is: 0, begins: 1, contains: 2 } as const
export type Rank = 0 | 1 | 2

/** The byte of a comma. */
const COMMA = 0x2c

/** The entries of one collection, numbered in the order in which they are listed. */
export class Collection {
  readonly count: number
  readonly owners: Owners
  readonly suffixes: Suffixes
  readonly words: Vocabulary
  readonly #file: PartsReader<unknown>
  readonly #texts: Uint8Array
  readonly #textStarts: Uint32Array
  readonly #items: Bytes
  readonly #itemStarts: Float64Array
  readonly #flags: Uint8Array

  constructor(file: PartsReader<unknown>, contents: CollectionContents) {
    this.count = contents.count
    this.#file = file
    this.#texts = file.loadBytes(contents.texts)
    this.#textStarts = file.loadNumbers(contents.textStarts)
    this.#items = file.bytes(contents.items)
    this.#itemStarts = file.loadDoubles(contents.itemStarts)
    this.#flags = file.loadBytes(contents.flags)
    this.owners = new Owners(this.#textStarts)
    this.suffixes = new Suffixes(file, contents.suffixes, this.#texts, this.owners)
    this.words = new Vocabulary(file, contents.words)
  }

  /** Asserts that the file is open; required before each read, in the same tick of the event loop. */
  assertOpen(): void {
    this.#file.assertOpen()
  }

  readFlags(id: number): number {
    return this.#flags[id]!
  }

  /** Reads an entry as JSON, as lists show it. */
  readItem(id: number): string {
    return this.#items.text(this.#itemStarts[id]!, this.#itemStarts[id + 1]!)
  }

  /**
   * Reads entries as JSON, as lists show them, separated by commas: as many as fit into `maxBytes`, with a
   * comma for each.
   */
  readItems(
    ids: readonly number[],
    maxBytes: number,
  ): { items: Buffer; count: number; isCut: boolean } {
    const starts = this.#itemStarts
    let fittingCount = 0
    let bytes = 0
    for (const id of ids) {
      const more = starts[id + 1]! - starts[id]! + 1
      if (bytes + more > maxBytes) break
      bytes += more
      fittingCount += 1
    }
    const items = Buffer.allocUnsafe(Math.max(0, bytes - 1))
    let at = 0
    for (const id of ids.slice(0, fittingCount)) {
      if (at > 0) items[at++] = COMMA
      items.set(this.#items.between(starts[id]!, starts[id + 1]!), at)
      at += starts[id + 1]! - starts[id]!
    }
    return { items, count: fittingCount, isCut: fittingCount < ids.length }
  }

  /** Reads the words of an entry's texts, as code points. */
  readWords(id: number): ArrayLike<number>[] {
    return splitWordsInRun(this.#texts.subarray(this.#textStarts[id]!, this.#textStarts[id + 1]!))
  }

  /** Ranks a match at a place among all texts. */
  rankAt(position: number, length: number): Rank {
    if (this.#texts[position - 1] !== NAME) return ranks.contains
    return this.#texts[position + length] === END ? ranks.is : ranks.begins
  }

  /** Tells whether the texts of an entry with their marks contain these bytes. */
  contains(id: number, bytes: Uint8Array): boolean {
    const last = this.#textStarts[id + 1]! - bytes.length
    for (let at = this.#textStarts[id]!; at <= last; at++) if (this.isAt(at, bytes)) return true
    return false
  }

  /** Tells whether these bytes are at a position in the texts. */
  isAt(position: number, bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length; i++) if (this.#texts[position + i] !== bytes[i]) return false
    return true
  }
}
