// biome-ignore-all lint/style/noNonNullAssertion: callers stay within the part, and a check for each number would slow searches

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { PAGE_BYTES, PageCache } from './page-cache.ts'
import { MARK, type PartLocation, TRAILER_BYTES } from './parts-layout.ts'

/**
 * Reads a file of parts (`parts-writer.ts`) by position: what a search needs of it, through a cache of fixed size. Small
 * parts of which every search reads many places are loaded as a whole.
 */
export class PartsReader<Contents> {
  readonly contents: Contents
  readonly #fd: number
  readonly #pages: PageCache
  #isClosed = false

  private constructor(fd: number, cacheBytesMax: number | undefined) {
    this.#fd = fd
    const { size } = fstatSync(fd)
    this.contents = readContents(fd, size) as Contents
    this.#pages = new PageCache(fd, size, cacheBytesMax)
  }

  /** Opens a file; throws if it is not complete. */
  static open<Contents>(file: string, cacheBytesMax?: number): PartsReader<Contents> {
    const fd = openSync(file, 'r')
    try {
      return new PartsReader<Contents>(fd, cacheBytesMax)
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** Throws if the file was closed: its descriptor may be that of another file by now. */
  assertOpen(): void {
    if (this.#isClosed) throw new Error('the search file was closed')
  }

  bytes(location: PartLocation): Bytes {
    return new Bytes(this.#pages, location)
  }

  numbers(location: PartLocation): Numbers32 {
    return new Numbers32(this.#pages, location)
  }

  /** Loads a whole part into memory. */
  loadBytes({ at, bytes }: PartLocation): Uint8Array<ArrayBuffer> {
    const part = new Uint8Array(bytes)
    if (bytes > 0) this.#pages.read(at, part)
    return part
  }

  /** Loads a whole part of 32-bit numbers into memory. */
  loadNumbers(location: PartLocation): Uint32Array {
    return new Uint32Array(this.loadBytes(location).buffer)
  }

  /** Loads a whole part of 64-bit numbers into memory. */
  loadDoubles(location: PartLocation): Float64Array {
    return new Float64Array(this.loadBytes(location).buffer)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#fd)
  }
}

/** A part of which bytes are read. */
export class Bytes {
  readonly #pages: PageCache
  readonly #offset: number
  readonly #length: number

  constructor(pages: PageCache, { at, bytes }: PartLocation) {
    this.#pages = pages
    this.#offset = at
    this.#length = bytes
  }

  at(index: number): number {
    return this.#pages.bytes[this.#pages.locate(this.#offset + index)]!
  }

  /** Returns the bytes between two positions, or to the end; valid until the next read of any part. */
  between(start: number, end: number): Buffer {
    return readSpan(this.#pages, this.#offset + start, Math.min(end, this.#length) - start)
  }

  /** Reads a range as text. */
  text(start: number, end: number): string {
    const at = this.#offset + start
    if (!isInPage(at, end - start)) return this.between(start, end).toString()
    const from = this.#pages.locate(at)
    return this.#pages.bytes.toString('utf8', from, from + end - start)
  }
}

/** A part of which 32-bit numbers are read. */
export class Numbers32 {
  readonly length: number
  readonly #pages: PageCache
  readonly #offset: number

  constructor(pages: PageCache, { at, bytes }: PartLocation) {
    this.length = bytes / Uint32Array.BYTES_PER_ELEMENT
    this.#pages = pages
    this.#offset = at
  }

  at(index: number): number {
    const at = this.#offset + index * Uint32Array.BYTES_PER_ELEMENT
    return this.#pages.words[this.#pages.locate(at) / Uint32Array.BYTES_PER_ELEMENT]!
  }

  /** Reads the numbers from `start` to before `end`. */
  between(start: number, end: number): Uint32Array {
    const numbers = new Uint32Array(end - start)
    const at = this.#offset + start * Uint32Array.BYTES_PER_ELEMENT
    new Uint8Array(numbers.buffer).set(readSpan(this.#pages, at, numbers.byteLength))
    return numbers
  }
}

/** Describes why a file is not a complete file of parts; undefined if it is one. */
export function findDamagedParts(file: string): string | undefined {
  try {
    PartsReader.open(file).close()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function readSpan(pages: PageCache, at: number, length: number): Buffer {
  if (length > 0 && isInPage(at, length)) {
    const from = pages.locate(at)
    return pages.bytes.subarray(from, from + length)
  }
  const span = Buffer.allocUnsafe(length)
  if (length > 0) pages.read(at, span)
  return span
}

function isInPage(at: number, length: number): boolean {
  return (at % PAGE_BYTES) + length <= PAGE_BYTES
}

/** Reads the table of contents; throws where the file is not complete, or is another one. */
function readContents(fd: number, size: number): unknown {
  const trailer = readExactly(fd, size - TRAILER_BYTES, TRAILER_BYTES)
  const isComplete = trailer?.subarray(-MARK.length).equals(MARK) === true
  const length = isComplete ? trailer.readDoubleLE() : 0
  const contents = readExactly(fd, size - TRAILER_BYTES - length, length)
  if (!isComplete || contents === undefined) throw new Error('it is not a complete search file')
  return JSON.parse(contents.toString())
}

function readExactly(fd: number, at: number, length: number): Buffer | undefined {
  if (at < 0 || !Number.isSafeInteger(length)) return undefined
  const bytes = Buffer.alloc(length)
  return readSync(fd, bytes, 0, length, at) === length ? bytes : undefined
}
