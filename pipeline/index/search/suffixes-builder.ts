import type { PartsWriter, Place } from './file.ts'
import type { Owners } from './owners.ts'
import { SuffixSorter } from './suffix-sorter.ts'
import { END } from './texts.ts'

/** So many suffixes are read at once. */
export const BLOCK = 64
/** Of each block so many of the least entries are known. */
export const KEPT = 5
/** So many bytes of the first suffix of a block are kept. */
const HEAD = 4
/** No entry: greater than any. */
export const NONE = 0xffffffff
/** So many are sorted at once, more where more begin alike: what building needs grows no further. */
const PIECE = 2 ** 21
const PAIRS = 2 ** 16

/** Where the suffixes of a collection's texts stand. */
export interface SuffixesContents {
  /** Where each begins in the texts, in the order of what they say. */
  sorted: Place
  /** Of each block the first of these, the bytes it begins with, and the least entries they belong to. */
  firsts: Place
  heads: Place
  least: Place
}

/** Sorts all suffixes of texts into a file. */
export function writeSuffixes(
  file: PartsWriter,
  texts: Uint8Array,
  owners: Owners,
): SuffixesContents {
  const starts = startsOf(texts)
  const blocks = Math.ceil(starts[PAIRS]! / BLOCK)
  const firsts = new Uint32Array(blocks)
  const heads = new Uint32Array(blocks)
  const least = new Uint32Array(blocks * KEPT).fill(NONE)
  const at = file.begin()
  let number = 0
  for (const places of sortedPieces(texts, starts)) {
    for (const place of places) {
      const block = Math.floor(number / BLOCK)
      if (number++ % BLOCK === 0) {
        firsts[block] = place
        heads[block] = headOf(texts, place)
      }
      keepLeast(least, block * KEPT, owners.of(place))
    }
    file.write(new Uint8Array(places.buffer, places.byteOffset, places.byteLength))
  }
  const sorted = { at, bytes: file.position - at }
  return { sorted, firsts: file.part(firsts), heads: file.part(heads), least: file.part(least) }
}

/** The first four bytes as a number, `filler` in place of those that are missing or stand behind an END. */
export function headOf(bytes: Uint8Array, at: number, filler = 0): number {
  let head = 0
  let isOver = false
  for (let i = at; i < at + HEAD; i++) {
    const byte: number = isOver ? filler : (bytes[i] ?? filler)
    head = head * 256 + byte
    isOver ||= byte === END
  }
  return head
}

/** Puts an entry among the least that are kept from `at` on, rising, each once; NONE is no entry yet. */
export function keepLeast(kept: Uint32Array, at: number, id: number): void {
  const last = at + KEPT - 1
  if (id >= kept[last]!) return
  let to = last
  while (to > at && kept[to - 1]! > id) to--
  if (to > at && kept[to - 1] === id) return
  kept.copyWithin(to + 1, to, last)
  kept[to] = id
}

/** Where the suffixes that begin with each two bytes go, and how many there are in all. */
function startsOf(texts: Uint8Array): Uint32Array {
  const starts = new Uint32Array(PAIRS + 1)
  for (let at = 0; at < texts.length; at++) {
    if (isSuffix(texts[at]!)) starts[pairAt(texts, at) + 1]!++
  }
  for (let pair = 0; pair < PAIRS; pair++) starts[pair + 1]! += starts[pair]!
  return starts
}

function* sortedPieces(texts: Uint8Array, starts: Uint32Array): Iterable<Uint32Array> {
  const sorter = new SuffixSorter(texts)
  for (let first = 0, end: number; first < PAIRS; first = end) {
    end = first + 1
    while (end < PAIRS && starts[end + 1]! - starts[first]! <= PIECE) end++
    const places = placesOf(texts, starts, first, end)
    for (let pair = first; pair < end; pair++) {
      const [from, to] = [starts[pair]! - starts[first]!, starts[pair + 1]! - starts[first]!]
      if (to - from > 1) sorter.sort(places.subarray(from, to))
    }
    yield places
  }
}

/** Where something begins with one of these pairs of bytes; by pair, then rising. */
function placesOf(texts: Uint8Array, starts: Uint32Array, first: number, end: number): Uint32Array {
  const places = new Uint32Array(starts[end]! - starts[first]!)
  const next = starts.subarray(first, end).map(start => start - starts[first]!)
  if (places.length === 0) return places
  for (let at = 0; at < texts.length; at++) {
    const pair = pairAt(texts, at) - first
    if (pair >= 0 && pair < next.length && isSuffix(texts[at]!)) places[next[pair]!++] = at
  }
  return places
}

function pairAt(texts: Uint8Array, at: number): number {
  return (texts[at]! << 8) | texts[at + 1]!
}

/** Nobody looks for an end, or for what begins within a character. */
function isSuffix(byte: number): boolean {
  return byte !== END && (byte & 0xc0) !== 0x80
}
