import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { CACHE_BYTES_MAX, PAGE_BYTES } from '../../../pipeline/search/page-cache.ts'
import { type PartLocation, TRAILER_BYTES } from '../../../pipeline/search/parts-layout.ts'
import { findDamagedParts, PartsReader } from '../../../pipeline/search/parts-reader.ts'
import { PartsWriter } from '../../../pipeline/search/parts-writer.ts'
import { readOwnMemoryMB } from '../../../scripts/bench/support/usage.ts'
import { buildSearchIndex } from '../../support/checks/search.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'

const MB = 2 ** 20

/** Frees what the test wrote the file from, so that it is not taken for memory of the reader. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

interface Parts {
  words: PartLocation
  numbers: PartLocation
  texts: PartLocation
}

const TEXTS = 2 ** 16
const TEXT_BYTES = 11

function buildText(i: number): string {
  return `é${String(i % TEXTS).padStart(8, '0')}.`
}

const texts = Buffer.from(Array.from({ length: TEXTS }, (_, i) => buildText(i)).join(''))

/** Writes megabytes of numbers that encode their position and file, and some texts, `times` times. */
function writeParts(path: string, mark: number, megabytes: number, times = 1): void {
  const file = new PartsWriter(path)
  const all = new Uint32Array((megabytes * MB) / 4)
  for (let i = 0; i < all.length; i++) all[i] = i ^ mark
  const words = file.part(Buffer.from('one'))
  const numbers = file.part(all)
  const at = file.begin()
  for (let i = 0; i < times; i++) file.write(texts)
  const bytes = file.position - at
  file.end({ words, numbers, texts: { at, bytes } } satisfies Parts)
}

function openParts(path: string, cacheBytesMax?: number): PartsReader<Parts> {
  const file = PartsReader.open<Parts>(path, cacheBytesMax)
  cleanUp(() => file.close())
  return file
}

/** Sets the length of the table of contents, which the end of a file tells. */
function withTableLength(length: number): (whole: Buffer) => Buffer {
  return whole => {
    whole.writeDoubleLE(length, whole.length - TRAILER_BYTES)
    return whole
  }
}

function createFolder(): string {
  const folder = createDataDir()
  mkdirSync(folder, { recursive: true })
  return folder
}

test('numbers are read as they were written, in any order', () => {
  const path = `${createFolder()}/numbers.search`
  writeParts(path, 0, 72)
  const file = openParts(path)
  const some = file.numbers(file.contents.numbers)
  const all = file.loadNumbers(file.contents.numbers)
  expect([all.length, some.length]).toEqual([18 * MB, 18 * MB])
  for (let start = 0; start + 30_000 < all.length; start += 29_999) {
    const end = start + 30_000
    const found = some.between(start, end)
    expect([found.length, found[0], found[29_999]]).toEqual([30_000, start, end - 1])
    expect([some.at(start), some.at(end), all[end]]).toEqual([start, end, end])
  }
})

test('texts are read as they were written, in any order', () => {
  const path = `${createFolder()}/texts.search`
  writeParts(path, 0, 60, 10)
  const file = openParts(path)
  expect(file.bytes(file.contents.words).text(0, 3)).toBe('one')
  const read = file.bytes(file.contents.texts)
  const wrong: number[] = []
  for (let i = 0; i < 10 * TEXTS; i++) {
    const text = read.text(TEXT_BYTES * i, TEXT_BYTES * (i + 1))
    if (text !== buildText(i)) wrong.push(i)
  }
  expect(wrong).toEqual([])
})

test('a page that was evicted is read again, whatever was read in between', () => {
  const path = `${createFolder()}/evicted.search`
  writeParts(path, 0, 1)
  const file = openParts(path, 3 * PAGE_BYTES)
  const numbers = file.numbers(file.contents.numbers)
  const texts = file.bytes(file.contents.texts)
  for (let i = 0; i < 20_000; i++) {
    const at = (i * 7_919) % numbers.length
    expect(numbers.at(at)).toBe(at)
    if (i % 3 === 0) expect(numbers.at(0)).toBe(0)
    const text = (i * 31) % TEXTS
    expect(texts.text(TEXT_BYTES * text, TEXT_BYTES * (text + 1))).toBe(buildText(text))
  }
})

test('a large file takes no more memory of the process that reads it than its cache', () => {
  const path = `${createFolder()}/large.search`
  writeParts(path, 0, 192)
  collectGarbage()
  const before = readOwnMemoryMB(process.pid)
  const file = openParts(path)
  const numbers = file.numbers(file.contents.numbers)
  let wrong = 0
  for (let at = 0; at < numbers.length; at++) if (numbers.at(at) !== at) wrong++
  expect(wrong).toBe(0)
  expect(readOwnMemoryMB(process.pid) - before).toBeLessThan(1.5 * (CACHE_BYTES_MAX / 1e6))
})

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['cut', (whole: Buffer) => whole.subarray(0, -1)],
  ['something else', (whole: Buffer) => Buffer.alloc(whole.length, 'text')],
  ['one that says its table is longer than it', withTableLength(1e9)],
  ['one that says its table has no length', withTableLength(Number.NaN)],
])('a file that is %s is not opened', (_, damage) => {
  const path = `${createFolder()}/damaged.search`
  writeParts(path, 0, 1)
  expect(findDamagedParts(path)).toBeUndefined()
  writeFileSync(path, damage(readFileSync(path)))
  expect(() => PartsReader.open(path)).toThrow('it is not a complete search file')
  expect(findDamagedParts(path)).toBe('it is not a complete search file')
})

test('successive files are each read with their own content', () => {
  const folder = createFolder()
  for (const [mark, megabytes] of [24, 40, 1, 17].entries()) {
    const path = `${folder}/${mark}.search`
    writeParts(path, mark, megabytes)
    const file = PartsReader.open<Parts>(path)
    const all = file.loadNumbers(file.contents.numbers)
    const last = (megabytes * MB) / 4 - 1
    expect([all.length, all[0], all[last]]).toEqual([last + 1, mark, last ^ mark])
    file.close()
  }
})

test('an unfinished file has a temporary name, and can be written again', () => {
  const folder = createFolder()
  const path = `${folder}/half.search`
  new PartsWriter(path).close()
  writeParts(path, 7, 1)
  expect(readdirSync(folder)).toEqual(['half.search'])
  expect(openParts(path).contents.words.bytes).toBe(3)
})

test('a closed file cannot be searched', async () => {
  const index = await buildSearchIndex([{ names: ['acme media'] }])
  const matches = await index.all('brands', 'acme')
  const listing = index.listing('brands')
  index.close()
  const closed = 'the search file was closed'
  await expect(index.search(['brands'], 'acme', 5)).rejects.toThrow(closed)
  await expect(index.all('brands', 'acme')).rejects.toThrow(closed)
  expect(() => matches.counter()).toThrow(closed)
  expect(() => matches.page({ offset: 0, limit: 1 }, () => true)).toThrow(closed)
  expect(() => listing.page({ offset: 0, limit: 1 }, undefined, 100)).toThrow(closed)
})
