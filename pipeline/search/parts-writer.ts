import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { open, type RootDatabase } from 'lmdb'
import {
  ADDRESS_SPACE_BYTES,
  CHUNK_BYTES,
  CONTENTS_KEY,
  type PartLocation,
  toLockPath,
} from './parts-layout.ts'

type Numbers = Uint8Array | Uint32Array | Float64Array

const BUFFER_BYTES = 2 ** 16
/** Alignment of a part, which any type of number accepts. */
const ALIGNMENT_BYTES = 8

/** Writes a file of consecutive parts, with the position of each. */
export class PartsWriter {
  readonly #file: string
  readonly #store: RootDatabase<Uint8Array, number>
  #chunk = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #length = 0
  #chunks = 0
  #isClosed = false

  constructor(file: string) {
    for (const leftover of [file, toLockPath(file)]) rmSync(leftover, { force: true })
    this.#file = file
    this.#store = open({
      path: file,
      encoding: 'binary',
      noSync: true,
      mapSize: ADDRESS_SPACE_BYTES,
    })
  }

  get position(): number {
    return this.#chunks * CHUNK_BYTES + this.#length
  }

  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + CHUNK_BYTES - this.#length)
      this.#growTo(this.#length + piece.length)
      this.#chunk.set(piece, this.#length)
      this.#length += piece.length
      from += piece.length
      if (this.#length === CHUNK_BYTES) this.#flush()
    }
  }

  /** Begins a part, aligned, and returns its position. */
  begin(): number {
    const misaligned = this.#length % ALIGNMENT_BYTES
    if (misaligned > 0) this.write(new Uint8Array(ALIGNMENT_BYTES - misaligned))
    return this.position
  }

  /** Writes a whole part. */
  part(numbers: Numbers): PartLocation {
    const at = this.begin()
    this.write(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
    return { at, bytes: numbers.byteLength }
  }

  /** Writes what is left; the file is on disk when this resolves. */
  async end(contents: object): Promise<void> {
    this.#flush()
    this.#store.putSync(CONTENTS_KEY, Buffer.from(JSON.stringify(contents)))
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
