import { open, type RootDatabase } from 'lmdb'
import { assertSoundHead } from '../store/lmdb-head.ts'
import {
  ADDRESS_SPACE_BYTES,
  CHUNK_BYTES,
  CONTENTS_KEY,
  type PartLocation,
} from './parts-layout.ts'

type Store = RootDatabase<Uint8Array, number>

const NUMBERS_BITS = 24
const NUMBERS_PER_PART = 2 ** NUMBERS_BITS

/**
 * Reads a file of parts (`parts-writer.ts`) into memory, once for each process: with Node 24 LMDB passes no value on
 * as it has mapped it.
 */
export class PartsReader<Contents> {
  readonly contents: Contents
  readonly #store: Store
  readonly #chunks: readonly Buffer[]
  #isClosed = false

  private constructor(store: Store, contents: Contents) {
    this.#store = store
    this.contents = contents
    this.#chunks = [...readChunks(store)]
  }

  static async open<Contents>(file: string): Promise<PartsReader<Contents>> {
    assertSoundHead(file)
    const store: Store = open({
      path: file,
      encoding: 'binary',
      readOnly: true,
      mapSize: ADDRESS_SPACE_BYTES,
    })
    try {
      const contents = store.getBinary(CONTENTS_KEY)
      if (contents === undefined) throw new Error('the search file is truncated')
      return new PartsReader(store, JSON.parse(contents.toString()) as Contents)
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** Throws if the file was closed: its memory is unmapped, so nothing that was read may be used any more. */
  assertOpen(): void {
    if (this.#isClosed) throw new Error('the search file was closed')
  }

  bytes(location: PartLocation): Bytes {
    return new Bytes(this.#chunks, location)
  }

  /** Returns a whole part. It is copied only if it spans two chunks. */
  uint8({ at, bytes }: PartLocation): Uint8Array {
    return sliceSpan(this.#chunks, at, bytes)
  }

  uint32(location: PartLocation): Uint32Array {
    const { buffer, byteOffset, length } = this.uint8(location)
    return new Uint32Array(buffer, byteOffset, length / Uint32Array.BYTES_PER_ELEMENT)
  }

  float64(location: PartLocation): Float64Array {
    const { buffer, byteOffset, length } = this.uint8(location)
    return new Float64Array(buffer, byteOffset, length / Float64Array.BYTES_PER_ELEMENT)
  }

  numbers(location: PartLocation): Numbers32 {
    return new Numbers32(this.#chunks, location)
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#store.close()
  }
}

/** A part of any length, of which single bytes are read. */
export class Bytes {
  readonly #chunks: readonly Buffer[]
  readonly #at: number

  constructor(chunks: readonly Buffer[], { at }: PartLocation) {
    this.#chunks = chunks
    this.#at = at
  }

  /** Returns the bytes between two positions; valid until the next read. */
  between(start: number, end: number): Buffer {
    return sliceSpan(this.#chunks, this.#at + start, end - start)
  }

  /** Reads a range as text. */
  text(start: number, end: number): string {
    const at = this.#at + start
    const chunk = this.#chunks[Math.floor(at / CHUNK_BYTES)]!
    const from = at % CHUNK_BYTES
    const to = from + end - start
    return to <= chunk.length
      ? chunk.toString('utf8', from, to)
      : this.between(start, end).toString()
  }
}

/** Reads 32-bit numbers from a part of the file. */
export class Numbers32 {
  readonly length: number
  readonly #chunks: readonly Uint32Array[]
  readonly #first: number

  constructor(chunks: readonly Buffer[], { at, bytes }: PartLocation) {
    const size = Uint32Array.BYTES_PER_ELEMENT
    this.length = bytes / size
    this.#first = at / size
    this.#chunks = chunks.map(
      ({ buffer, byteOffset, length }) =>
        new Uint32Array(buffer, byteOffset, Math.floor(length / size)),
    )
  }

  at(index: number): number {
    const number = this.#first + index
    return this.#chunks[number >>> NUMBERS_BITS]![number % NUMBERS_PER_PART]!
  }

  /** Returns the numbers from `start` to before `end`; valid until the file is closed. */
  between(start: number, end: number): Uint32Array {
    if (start === end) return new Uint32Array()
    const first = this.#first + start
    const chunk = this.#chunks[first >>> NUMBERS_BITS]!
    const from = first % NUMBERS_PER_PART
    const to = from + end - start
    if (to <= chunk.length) return chunk.subarray(from, to)
    return Uint32Array.from({ length: end - start }, (_, i) => this.at(start + i))
  }
}

/** Reads a store in chunks, each into a buffer of its own: `getBinaryFast` would keep another one of twice the size. */
function* readChunks(store: Store): Iterable<Buffer> {
  for (let number = 1; ; number++) {
    const chunk = store.getBinary(number)
    if (chunk === undefined) return
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  }
}

function sliceSpan(chunks: readonly Buffer[], at: number, length: number): Buffer {
  if (length === 0) return Buffer.alloc(0)
  const from = at % CHUNK_BYTES
  const first = Math.floor(at / CHUNK_BYTES)
  if (from + length <= CHUNK_BYTES) return chunks[first]!.subarray(from, from + length)
  const joined = Buffer.allocUnsafeSlow(length)
  for (let copied = 0; copied < length; ) {
    const location = at + copied
    copied += chunks[Math.floor(location / CHUNK_BYTES)]!.copy(
      joined,
      copied,
      location % CHUNK_BYTES,
    )
  }
  return joined
}
