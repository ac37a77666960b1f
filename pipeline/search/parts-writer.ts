import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { MARK, type PartLocation } from './parts-layout.ts'

type Numbers = Uint8Array | Uint32Array | Float64Array

const BUFFER_BYTES = 2 ** 18
/** Alignment of a part, which any type of number accepts. */
const ALIGNMENT_BYTES = 8

/** Writes a file of consecutive parts, with the position of each. */
export class PartsWriter {
  readonly #fd: number
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #buffered = 0
  #written = 0
  #isClosed = false

  constructor(file: string) {
    this.#fd = openSync(file, 'w')
  }

  get position(): number {
    return this.#written + this.#buffered
  }

  write(bytes: Uint8Array): void {
    if (this.#buffered + bytes.length > BUFFER_BYTES) this.#flush()
    if (bytes.length > BUFFER_BYTES) return this.#writeAll(bytes)
    this.#buffer.set(bytes, this.#buffered)
    this.#buffered += bytes.length
  }

  /** Begins a part, aligned, and returns its position. */
  begin(): number {
    const misaligned = this.position % ALIGNMENT_BYTES
    if (misaligned > 0) this.write(new Uint8Array(ALIGNMENT_BYTES - misaligned))
    return this.position
  }

  /** Writes a whole part. */
  part(numbers: Numbers): PartLocation {
    const at = this.begin()
    this.write(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
    return { at, bytes: numbers.byteLength }
  }

  /** Writes the table of contents and what says that the file is complete; it is on disk afterwards. */
  end(contents: object): void {
    const table = Buffer.from(JSON.stringify(contents))
    const length = Buffer.alloc(Float64Array.BYTES_PER_ELEMENT)
    length.writeDoubleLE(table.length)
    for (const bytes of [table, length, MARK]) this.write(bytes)
    this.#flush()
    fsyncSync(this.#fd)
    this.close()
  }

  /** Closes the file, also one that is abandoned. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#fd)
  }

  #flush(): void {
    this.#writeAll(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  #writeAll(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from)
    this.#written += bytes.length
  }
}
