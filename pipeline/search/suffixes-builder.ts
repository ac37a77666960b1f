// biome-ignore-all lint/style/noNonNullAssertion: positions are within the texts, and a check for each byte would slow the build

import type { Owners } from './owners.ts'
import type { PartLocation } from './parts-layout.ts'
import type { PartsWriter } from './parts-writer.ts'
import { SuffixSorter } from './suffix-sorter.ts'
import { END } from './texts.ts'

/** Suffixes that are read at once. */
export const BLOCK = 64
/** Least entries stored of each block. */
export const MINIMA_PER_BLOCK = 5
/** Bytes of the first suffix of a block that are stored. */
const HEAD = 4
/** No entry: greater than any other. */
export const NONE = 0xffffffff
/** Bytes that are sorted at once, or more if more begin alike: this limits the memory of the build. */
const SORT_CHUNK_BYTES = 2 ** 21
const PAIRS = 2 ** 16

/** Positions of the suffixes of a collection's texts. */
export interface SuffixesContents {
  /** Start of each suffix in the texts, in sorted order. */
  sorted: PartLocation
  /** First suffix of each block, the bytes it begins with, and the least entries of the block. */
  firstPositions: PartLocation
  prefixes: PartLocation
  minima: PartLocation
}

/** Sorts all suffixes of texts into a file. */
export function writeSuffixes(
  file: PartsWriter,
  texts: Uint8Array,
  owners: Owners,
): SuffixesContents {
  const starts = countStarts(texts)
  const blocks = Math.ceil(starts[PAIRS]! / BLOCK)
  const firstPositions = new Uint32Array(blocks)
  const prefixes = new Uint32Array(blocks)
  const minima = new Uint32Array(blocks * MINIMA_PER_BLOCK).fill(NONE)
  const at = file.begin()
  let number = 0
  for (const positions of sortInChunks(texts, starts)) {
    for (const position of positions) {
      const block = Math.floor(number / BLOCK)
      if (number++ % BLOCK === 0) {
        firstPositions[block] = position
        prefixes[block] = readHead(texts, position)
      }
      insertSmallest(minima, block * MINIMA_PER_BLOCK, owners.findEntry(position))
    }
    file.write(new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength))
  }
  const sorted = { at, bytes: file.position - at }
  return {
    sorted,
    firstPositions: file.part(firstPositions),
    prefixes: file.part(prefixes),
    minima: file.part(minima),
  }
}

/** Reads the first four bytes as a number, with `filler` for bytes that are missing or after an END. */
export function readHead(bytes: Uint8Array, at: number, filler = 0): number {
  let head = 0
  let hasEnded = false
  for (let i = at; i < at + HEAD; i++) {
    const byte: number = hasEnded ? filler : (bytes[i] ?? filler)
    head = head * 256 + byte
    hasEnded ||= byte === END
  }
  return head
}

/** Puts an entry among the least that are kept from `at` on, rising, each once; NONE is no entry yet. */
export function insertSmallest(smallest: Uint32Array, at: number, id: number): void {
  const last = at + MINIMA_PER_BLOCK - 1
  if (id >= smallest[last]!) return
  let to = last
  while (to > at && smallest[to - 1]! > id) to--
  if (to > at && smallest[to - 1] === id) return
  smallest.copyWithin(to + 1, to, last)
  smallest[to] = id
}

/** Counts suffixes by their first two bytes: where each group begins, and the total. */
function countStarts(texts: Uint8Array): Uint32Array {
  const starts = new Uint32Array(PAIRS + 1)
  for (let at = 0; at < texts.length; at++) {
    if (isSuffix(texts[at]!)) starts[pairAt(texts, at) + 1]!++
  }
  for (let pair = 0; pair < PAIRS; pair++) starts[pair + 1]! += starts[pair]!
  return starts
}

function* sortInChunks(texts: Uint8Array, starts: Uint32Array): Iterable<Uint32Array> {
  const sorter = new SuffixSorter(texts)
  for (let first = 0, end: number; first < PAIRS; first = end) {
    end = first + 1
    while (end < PAIRS && starts[end + 1]! - starts[first]! <= SORT_CHUNK_BYTES) end++
    const positions = listPositions(texts, starts, first, end)
    for (let pair = first; pair < end; pair++) {
      const [from, to] = [starts[pair]! - starts[first]!, starts[pair + 1]! - starts[first]!]
      if (to - from > 1) sorter.sort(positions.subarray(from, to))
    }
    yield positions
  }
}

/** Lists the places where one of these pairs of bytes begins; by pair, then rising. */
function listPositions(
  texts: Uint8Array,
  starts: Uint32Array,
  first: number,
  end: number,
): Uint32Array {
  const positions = new Uint32Array(starts[end]! - starts[first]!)
  const next = starts.subarray(first, end).map(start => start - starts[first]!)
  if (positions.length === 0) return positions
  for (let at = 0; at < texts.length; at++) {
    const pair = pairAt(texts, at) - first
    if (pair >= 0 && pair < next.length && isSuffix(texts[at]!)) positions[next[pair]!++] = at
  }
  return positions
}

function pairAt(texts: Uint8Array, at: number): number {
  return (texts[at]! << 8) | texts[at + 1]!
}

/** Tells whether a suffix can begin with this byte: not at an end, nor within a character. */
function isSuffix(byte: number): boolean {
  return byte !== END && (byte & 0xc0) !== 0x80
}
