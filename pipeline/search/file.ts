import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { open, type RootDatabase } from 'lmdb'
import { assertSoundHead } from '../store/lmdb-head.ts'

/** Position of a part of the file, in bytes. */
export interface PartLocation {
  at: number
  bytes: number
}

type Numbers = Uint8Array | Uint32Array | Float64Array
type Store = RootDatabase<Uint8Array, number>

/**
 * Parts are stored one after the other in chunks of this many bytes, each a value of the store; only the
 * last is shorter.
 */
const CHUNK = 2 ** 26
const BUFFER_BYTES = 2 ** 16
const NUMBERS_BITS = 24
const NUMBERS_PER_PART = 2 ** NUMBERS_BITS
/**
 * Address space that is reserved for a file, however long it is. It is the same for every file,
 * since the runtime remembers the length of earlier buffers at an address.
 */
const ADDRESSES = 2 ** 34
/** A part begins where a number of any type may. */
const ALIGNED = 8
/** The key of the table of contents; chunks are numbered from 1. */
const CONTENTS = 0

const LOCK = '-lock'

/** Names the lock file that LMDB creates beside an opened file and leaves there. */
export function toLockPath(file: string): string {
  return `${file}${LOCK}`
}

export function isLock(file: string): boolean {
  return file.endsWith(LOCK)
}

/** Writes a file of consecutive parts, with the position of each. */
export class PartsWriter {
  readonly #file: string
  readonly #store: Store
  #chunk = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #length = 0
  #chunks = 0
  #isClosed = false

  constructor(file: string) {
    for (const leftover of [file, toLockPath(file)]) rmSync(leftover, { force: true })
    this.#file = file
    this.#store = open({ path: file, encoding: 'binary', noSync: true, mapSize: ADDRESSES })
  }

  get position(): number {
    return this.#chunks * CHUNK + this.#length
  }

  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + CHUNK - this.#length)
      this.#growTo(this.#length + piece.length)
      this.#chunk.set(piece, this.#length)
      this.#length += piece.length
      from += piece.length
      if (this.#length === CHUNK) this.#flush()
    }
  }

  /** Returns the position of the next part. */
  begin(): number {
    const over = this.#length % ALIGNED
    if (over > 0) this.write(new Uint8Array(ALIGNED - over))
    return this.position
  }

  part(numbers: Numbers): PartLocation {
    const at = this.begin()
    this.write(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
    return { at, bytes: numbers.byteLength }
  }

  /** Writes what is left; the file is on disk when this resolves. */
  async end(contents: object): Promise<void> {
    this.#flush()
    this.#store.putSync(CONTENTS, Buffer.from(JSON.stringify(contents)))
    await this.close()
    const fd = openSync(this.#file, 'r+')
    fsyncSync(fd)
    closeSync(fd)
  }

  /** Closes the file, also one that is abandoned. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#store.close()
    rmSync(toLockPath(this.#file), { force: true })
  }

  #growTo(length: number): void {
    let size = this.#chunk.length
    while (size < length) size *= 2
    if (size === this.#chunk.length) return
    const larger = Buffer.allocUnsafeSlow(size)
    this.#chunk.copy(larger, 0, 0, this.#length)
    this.#chunk = larger
  }

  #flush(): void {
    if (this.#length === 0) return
    this.#chunks += 1
    this.#store.putSync(this.#chunks, this.#chunk.subarray(0, this.#length))
    this.#length = 0
  }
}

/**
 * Reads such a file from the page cache, which all processes of the host share: LMDB maps it into
 * memory; parts above 16 MiB are passed on as mapped, smaller ones as a copy.
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
      mapSize: ADDRESSES,
    })
    try {
      const contents = store.getBinary(CONTENTS)
      if (contents === undefined) throw new Error('the search file is truncated')
      return new PartsReader(store, JSON.parse(contents.toString()) as Contents)
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** Throws when the file is closed: nothing read of it may be used any more. */
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
    const chunk = this.#chunks[Math.floor(at / CHUNK)]!
    const from = at % CHUNK
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

  /** Numbers from one on to before another: to be read, not kept. */
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

/**
 * Reads a store in chunks. Values that are not mapped are in a buffer that the next value
 * overwrites.
 */
function* readChunks(store: Store): Iterable<Buffer> {
  for (let number = 1; ; number++) {
    const chunk = store.getBinaryFast(number)
    if (chunk === undefined) return
    const isMapped = 'isSharedMap' in chunk.buffer
    yield isMapped
      ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      : Buffer.from(Uint8Array.prototype.slice.call(chunk, 0, chunk.length).buffer)
  }
}

function sliceSpan(chunks: readonly Buffer[], at: number, length: number): Buffer {
  if (length === 0) return Buffer.alloc(0)
  const from = at % CHUNK
  const first = Math.floor(at / CHUNK)
  if (from + length <= CHUNK) return chunks[first]!.subarray(from, from + length)
  const joined = Buffer.allocUnsafeSlow(length)
  for (let copied = 0; copied < length; ) {
    const location = at + copied
    copied += chunks[Math.floor(location / CHUNK)]!.copy(joined, copied, location % CHUNK)
  }
  return joined
}
