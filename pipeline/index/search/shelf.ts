import type { PartsReader, Place } from './file.ts'
import type { GramsContents } from './grams-builder.ts'
import { Cursor, keep, unpack } from './postings.ts'
import type { Slices } from './slices.ts'
import { END, gramOf, NAME } from './texts.ts'
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
  grams: GramsContents
  words: VocabularyContents
}

/** How an entry holds a text: it is called so, is called something that begins so, or contains it. */
export const ranks = { is: 0, begins: 1, contains: 2 } as const
export type Rank = 0 | 1 | 2

const PAUSE_EVERY = 1_024
/** Lists of at most so many entries are read whole. */
const FEW = 4_096
/** Lists that are gone through together; and how much longer than what is left one may be. */
const TOGETHER = 4
const LONGER = 32
/** So few are looked at without asking another list. */
const LEFT = 8

/** The entries of one collection, numbered in the order in which they are listed. */
export class Shelf {
  readonly count: number
  readonly words: Vocabulary
  readonly #file: PartsReader<unknown>
  readonly #contents: ShelfContents
  readonly #texts: Uint8Array
  readonly #textStarts: Uint32Array
  readonly #itemStarts: Float64Array
  readonly #flags: Uint8Array
  readonly #grams: Uint32Array
  readonly #gramCounts: Uint32Array
  readonly #gramEnds: Float64Array
  readonly #lists: Uint8Array

  private constructor(
    file: PartsReader<unknown>,
    contents: ShelfContents,
    loaded: [Uint8Array, Uint32Array, Float64Array, Uint8Array],
    grams: [Uint32Array, Uint32Array, Float64Array, Uint8Array],
    words: Vocabulary,
  ) {
    this.count = contents.count
    this.words = words
    this.#file = file
    this.#contents = contents
    ;[this.#texts, this.#textStarts, this.#itemStarts, this.#flags] = loaded
    ;[this.#grams, this.#gramCounts, this.#gramEnds, this.#lists] = grams
  }

  static async load(file: PartsReader<unknown>, contents: ShelfContents): Promise<Shelf> {
    return new Shelf(
      file,
      contents,
      [
        await file.bytes(contents.texts),
        await file.uint32(contents.textStarts),
        await file.float64(contents.itemStarts),
        await file.bytes(contents.flags),
      ],
      [
        await file.uint32(contents.grams.grams),
        await file.uint32(contents.grams.counts),
        await file.float64(contents.grams.ends),
        await file.bytes(contents.grams.lists),
      ],
      await Vocabulary.load(file, contents.words),
    )
  }

  flagsOf(id: number): number {
    return this.#flags[id]!
  }

  /** The entry as lists show it, as JSON. */
  itemOf(id: number): string {
    const start = this.#itemStarts[id]!
    const length = this.#itemStarts[id + 1]! - start
    const bytes = Buffer.allocUnsafe(length)
    if (this.#file.readInto(bytes, length, this.#contents.items.at + start) < length) {
      throw new Error('the search file is cut off')
    }
    return bytes.toString()
  }

  /** The folded texts of an entry. */
  textsOf(id: number): string[] {
    const bytes = this.#texts.subarray(this.#textStarts[id]!, this.#textStarts[id + 1]!)
    const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().split('\x02')
    return texts.slice(0, -1).map(text => text.slice(1))
  }

  /** How an entry holds a text at best; undefined if it does not. */
  rankOf(id: number, text: Uint8Array): Rank | undefined {
    const last = this.#textStarts[id + 1]! - text.length
    let rank: Rank | undefined
    for (let at = this.#textStarts[id]!; at < last; at++) {
      if (!this.#isAt(at, text)) continue
      if (this.#texts[at - 1] !== NAME) rank ??= ranks.contains
      else if (this.#texts[at + text.length] === END) return ranks.is
      else rank = ranks.begins
    }
    return rank
  }

  /** Whether the texts of an entry with their marks contain these bytes. */
  contains(id: number, bytes: Uint8Array): boolean {
    const last = this.#textStarts[id + 1]! - bytes.length
    for (let at = this.#textStarts[id]!; at <= last; at++) if (this.#isAt(at, bytes)) return true
    return false
  }

  /** The first entries, or all, whose texts with their marks contain these bytes; rising. */
  *holding(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): Slices<number[]> {
    if (bytes.length < 3) return yield* this.#holdingFew(bytes, limit)
    const places = this.#placesOf(bytes)
    const least = this.#sizeOf(places[0])
    if (least <= FEW) return this.#holdingRare(places, bytes, limit)
    const near = places.filter(place => this.#sizeOf(place) <= TOGETHER * least)
    const [rarest, ...cursors] = near.map(place => this.#cursorAt(place))
    const found: number[] = []
    if (rarest === undefined) return found
    let steps = 0
    while (found.length < limit && rarest.next() < this.count) {
      const { id } = rarest
      if (cursors.every(cursor => cursor.reach(id) === id) && this.contains(id, bytes)) {
        found.push(id)
      }
      if (++steps % PAUSE_EVERY === 0) yield
    }
    return found
  }

  /** At most so many entries contain these bytes. */
  atMost(bytes: Uint8Array): number {
    if (bytes.length < 3) return this.count
    let least = this.count
    for (let at = 0; at + 3 <= bytes.length; at++) {
      const place = this.#placeOf(gramOf(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!))
      least = Math.min(least, place === undefined ? 0 : this.#gramCounts[place]!)
    }
    return least
  }

  /** Where one of the lists is short: what stands in it and in the next ones is looked at. */
  #holdingRare(places: readonly number[], bytes: Uint8Array, limit: number): number[] {
    const found: number[] = []
    const [rarest, ...others] = places
    if (rarest === undefined) return found
    const ids = unpack(this.#listAt(rarest), this.#sizeOf(rarest))
    let left = ids.length
    for (const place of others) {
      if (left <= LEFT || this.#sizeOf(place) > LONGER * left) break
      left = keep(ids, left, this.#listAt(place))
    }
    for (let i = 0; i < left && found.length < limit; i++) {
      if (this.contains(ids[i]!, bytes)) found.push(ids[i]!)
    }
    return found
  }

  /** One or two bytes: whatever stands in a gram that begins with them. */
  *#holdingFew(bytes: Uint8Array, limit: number): Slices<number[]> {
    const [a = 0, b] = bytes
    const low = this.#bound(gramOf(a, b ?? 0, 0))
    const high = this.#bound(b === undefined ? gramOf(a + 1, 0, 0) : gramOf(a, b, 255) + 1)
    const isIn = new Uint8Array(this.count)
    let steps = 0
    for (let place = low; place < high; place++) {
      const cursor = this.#cursorAt(place)
      for (let taken = 0; taken < limit && cursor.next() < this.count; taken++) {
        isIn[cursor.id] = 1
        if (++steps % (16 * PAUSE_EVERY) === 0) yield
      }
    }
    const found: number[] = []
    for (
      let id = isIn.indexOf(1);
      id !== -1 && found.length < limit;
      id = isIn.indexOf(1, id + 1)
    ) {
      found.push(id)
      if (found.length % (16 * PAUSE_EVERY) === 0) yield
    }
    return found
  }

  /** Lists that all entries holding the bytes stand in, the shortest first; none if there are none. */
  #placesOf(bytes: Uint8Array): number[] {
    const places = new Set<number>()
    for (let at = 0; at + 3 <= bytes.length; at++) {
      const place = this.#placeOf(gramOf(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!))
      if (place === undefined) return []
      places.add(place)
    }
    const byLength = [...places].sort((a, b) => this.#sizeOf(a) - this.#sizeOf(b))
    return byLength.slice(0, TOGETHER)
  }

  #sizeOf(place: number | undefined): number {
    return place === undefined ? 0 : this.#gramCounts[place]!
  }

  #listAt(place: number): Uint8Array {
    return this.#lists.subarray(this.#startOf(place), this.#gramEnds[place]!)
  }

  #cursorAt(place: number): Cursor {
    return new Cursor(this.#lists, this.#startOf(place), this.#gramEnds[place]!)
  }

  #startOf(place: number): number {
    return place === 0 ? 0 : this.#gramEnds[place - 1]!
  }

  #placeOf(gram: number): number | undefined {
    const place = this.#bound(gram)
    return this.#grams[place] === gram ? place : undefined
  }

  /** The first place whose gram is not smaller. */
  #bound(gram: number): number {
    let [low, high] = [0, this.#grams.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#grams[middle]! < gram) low = middle + 1
      else high = middle
    }
    return low
  }

  #isAt(at: number, bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length; i++) if (this.#texts[at + i] !== bytes[i]) return false
    return true
  }
}
