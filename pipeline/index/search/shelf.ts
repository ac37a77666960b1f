import type { PartsReader, Place } from './file.ts'
import { Owners } from './owners.ts'
import { Suffixes } from './suffixes.ts'
import type { SuffixesContents } from './suffixes-builder.ts'
import { END, NAME, wordsIn } from './texts.ts'
import { Vocabulary } from './vocabulary.ts'
import type { VocabularyContents } from './vocabulary-builder.ts'

/** Where the parts of one collection stand. */
export interface ShelfContents {
  count: number
  texts: Place
  /** Where the texts of each entry begin, and where its item does, counted from `items`. */
  textStarts: Place
  itemStarts: Place
  flags: Place
  items: Place
  suffixes: SuffixesContents
  words: VocabularyContents
}

/** How an entry holds a text: it is called so, is called something that begins so, or contains it. */
export const ranks = { is: 0, begins: 1, contains: 2 } as const
export type Rank = 0 | 1 | 2

const READ_BYTES = 2_048
const COMMA = 0x2c

/** The entries of one collection, numbered in the order in which they are listed. */
export class Shelf {
  readonly count: number
  readonly owners: Owners
  readonly suffixes: Suffixes
  readonly words: Vocabulary
  readonly #file: PartsReader<unknown>
  readonly #contents: ShelfContents
  readonly #texts: Uint8Array
  readonly #textStarts: Uint32Array
  readonly #itemStarts: Float64Array
  readonly #flags: Uint8Array
  /** Items that were read last, and where they stand among all. */
  #items = Buffer.allocUnsafe(READ_BYTES)
  #read = { start: 0, end: 0 }

  private constructor(
    file: PartsReader<unknown>,
    contents: ShelfContents,
    loaded: [Uint8Array, Uint32Array, Float64Array, Uint8Array],
    owners: Owners,
    suffixes: Suffixes,
    words: Vocabulary,
  ) {
    this.count = contents.count
    this.owners = owners
    this.suffixes = suffixes
    this.words = words
    this.#file = file
    this.#contents = contents
    ;[this.#texts, this.#textStarts, this.#itemStarts, this.#flags] = loaded
  }

  static async load(file: PartsReader<unknown>, contents: ShelfContents): Promise<Shelf> {
    const texts = await file.bytes(contents.texts)
    const textStarts = await file.uint32(contents.textStarts)
    const itemStarts = await file.float64(contents.itemStarts)
    const flags = await file.bytes(contents.flags)
    const owners = new Owners(textStarts)
    return new Shelf(
      file,
      contents,
      [texts, textStarts, itemStarts, flags],
      owners,
      await Suffixes.load(file, contents.suffixes, texts, owners),
      await Vocabulary.load(file, contents.words),
    )
  }

  flagsOf(id: number): number {
    return this.#flags[id]!
  }

  /** The entry as lists show it, as JSON. */
  itemOf(id: number): string {
    const start = this.#itemStarts[id]!
    const end = this.#itemStarts[id + 1]!
    if (start < this.#read.start || end > this.#read.end) this.#readItems(start, end)
    return this.#items.toString('utf8', start - this.#read.start, end - this.#read.start)
  }

  /**
   * Entries as lists show them, as JSON with commas between them: as many as fit into so many bytes,
   * each counted with a comma. Neighbours are read at once.
   */
  itemsOf(ids: readonly number[], mostBytes: number): { items: Buffer; isCut: boolean } {
    const starts = this.#itemStarts
    let fitting = 0
    let bytes = 0
    for (const id of ids) {
      const more = starts[id + 1]! - starts[id]! + 1
      if (bytes + more > mostBytes) break
      bytes += more
      fitting += 1
    }
    const items = Buffer.allocUnsafe(Math.max(0, bytes - 1))
    for (let i = 0, at = 0; i < fitting; ) {
      let run = 1
      while (i + run < fitting && ids[i + run] === ids[i]! + run) run++
      at = this.#writeRun(items, at, ids[i]!, run)
      i += run
    }
    return { items, isCut: fitting < ids.length }
  }

  /** Reads neighbours to behind the place of their commas, and moves each to where it belongs. */
  #writeRun(target: Buffer, start: number, first: number, count: number): number {
    const starts = this.#itemStarts
    const from = starts[first]!
    const length = starts[first + count]! - from
    let at = start > 0 ? start + 1 : start
    const read = at + count - 1
    this.#readInto(target.subarray(read, read + length), from)
    if (start > 0) target[start] = COMMA
    for (let id = first; id < first + count; id++) {
      if (id > first) target[at++] = COMMA
      target.copyWithin(at, read + starts[id]! - from, read + starts[id + 1]! - from)
      at += starts[id + 1]! - starts[id]!
    }
    return at
  }

  #readInto(target: Uint8Array, start: number): void {
    const { at } = this.#contents.items
    if (this.#file.readInto(target, target.length, at + start) < target.length) {
      throw new Error('the search file is cut off')
    }
  }

  /** Reads some more than was asked for: those that begin alike are neighbours in their list. */
  #readItems(start: number, end: number): void {
    const { bytes } = this.#contents.items
    const length = Math.min(Math.max(end - start, READ_BYTES), bytes - start)
    this.#read = { start: 0, end: 0 }
    if (length > this.#items.length) this.#items = Buffer.allocUnsafe(length)
    this.#readInto(this.#items.subarray(0, length), start)
    this.#read = { start, end: start + length }
  }

  /** The words of an entry's texts, as code points. */
  wordsOf(id: number): ArrayLike<number>[] {
    return wordsIn(this.#texts.subarray(this.#textStarts[id]!, this.#textStarts[id + 1]!))
  }

  /** How a text that stands at a place among all texts is held there. */
  rankAt(place: number, length: number): Rank {
    if (this.#texts[place - 1] !== NAME) return ranks.contains
    return this.#texts[place + length] === END ? ranks.is : ranks.begins
  }

  /** Whether the texts of an entry with their marks contain these bytes. */
  contains(id: number, bytes: Uint8Array): boolean {
    const last = this.#textStarts[id + 1]! - bytes.length
    for (let at = this.#textStarts[id]!; at <= last; at++) if (this.isAt(at, bytes)) return true
    return false
  }

  /** Whether these bytes stand at a place among all texts. */
  isAt(place: number, bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length; i++) if (this.#texts[place + i] !== bytes[i]) return false
    return true
  }
}
