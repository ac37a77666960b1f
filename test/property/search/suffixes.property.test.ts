import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Owners } from '../../../pipeline/search/owners.ts'
import { PartsReader } from '../../../pipeline/search/parts-reader.ts'
import { PartsWriter } from '../../../pipeline/search/parts-writer.ts'
import { SORTED_BYTES } from '../../../pipeline/search/suffix-sorter.ts'
import { Suffixes } from '../../../pipeline/search/suffixes.ts'
import { type SuffixesContents, writeSuffixes } from '../../../pipeline/search/suffixes-builder.ts'
import { NAME, TextsBuffer } from '../../../pipeline/search/texts.ts'
import { createDataDir } from '../../support/registry/registry.ts'

/** Texts that begin alike for long, and some in which a character has several bytes. */
const letters = fc.constantFrom('a', 'a', 'b', 'é', '東', '😀')
const short = fc.array(letters, { maxLength: 8 }).map(parts => parts.join(''))
const long = fc
  .tuple(fc.constantFrom('a', 'ab'), fc.integer({ min: 20, max: 60 }), short)
  .map(([part, times, end]) => part.repeat(times) + end)
const text = fc.oneof({ arbitrary: short, weight: 8 }, long)
const entries = fc.array(fc.array(text, { maxLength: 3 }), { minLength: 1, maxLength: 120 })
const asked = entries.chain(all => {
  const part = fc
    .tuple(fc.constantFrom('', ...all.flat()), fc.nat(70), fc.integer({ min: 1, max: 90 }))
    .map(([whole, from, length]) => [...whole].slice(from, from + length).join(''))
  return fc.tuple(fc.constant(all), fc.oneof(part, short, long))
})

interface Sorted {
  run: Buffer
  owners: Owners
  suffixes: Suffixes
  close(): void
}

let files = 0

function buildSorted(folder: string, all: readonly string[][]): Sorted {
  const texts = new TextsBuffer()
  const starts = [0]
  for (const own of all) {
    for (const text of own) texts.add(NAME, text)
    starts.push(texts.length)
  }
  const run = Buffer.from(texts.slice())
  const owners = new Owners(starts)
  const path = `${folder}/${files++}.suffixes`
  const writer = new PartsWriter(path)
  writer.end(writeSuffixes(writer, run, owners))
  const file = PartsReader.open<SuffixesContents>(path)
  const suffixes = new Suffixes(file, file.contents, run, owners)
  return { run, owners, suffixes, close: () => file.close() }
}

/** Finds the positions of bytes by scanning. */
function findPositions(run: Buffer, bytes: Buffer): number[] {
  const places: number[] = []
  for (let at = run.indexOf(bytes); at !== -1; at = run.indexOf(bytes, at + 1)) places.push(at)
  return places
}

it('positions of a text equal those of a scan of all bytes', () => {
  const folder = createDataDir()
  fc.assert(
    fc.property(asked, ([all, wanted]) => {
      fc.pre(wanted !== '')
      const { run, suffixes, close } = buildSorted(folder, all)
      const bytes = Buffer.from(wanted)
      const known = bytes.subarray(0, SORTED_BYTES)
      const range = suffixes.startingWith(bytes)
      const places = [...suffixes.listPositions(range)].sort((a, b) => a - b)
      expect(places).toEqual(findPositions(run, known))
      close()
    }),
    { numRuns: 300 },
  )
})

it('the first entries that contain a text are the first of all, each once', () => {
  const folder = createDataDir()
  fc.assert(
    fc.property(asked, fc.integer({ min: 1, max: 9 }), ([all, wanted], limit) => {
      fc.pre(wanted !== '')
      const { run, owners, suffixes, close } = buildSorted(folder, all)
      const bytes = Buffer.from(wanted).subarray(0, SORTED_BYTES)
      const holding = new Set(findPositions(run, bytes).map(place => owners.findEntry(place)))
      const expected = [...holding].sort((a, b) => a - b).slice(0, limit)
      expect(suffixes.smallestIds(suffixes.startingWith(bytes), limit)).toEqual(expected)
      close()
    }),
    { numRuns: 300 },
  )
})

it('every byte belongs to the entry whose text it is in', () => {
  const folder = createDataDir()
  fc.assert(
    fc.property(entries, all => {
      const { run, owners, close } = buildSorted(folder, all)
      const lengths = all.map(own =>
        own.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0),
      )
      const expected = lengths.flatMap((length, id) => Array(length).fill(id))
      expect(Array.from(run, (_, at) => owners.findEntry(at))).toEqual(expected)
      close()
    }),
    { numRuns: 100 },
  )
})
