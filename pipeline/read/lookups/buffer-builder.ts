const SCRATCH_BYTES = 64 * 1024
/** Maximum size of a buffer that is reused. */
const RETAINED_BYTES_MAX = 4 * 1024 * 1024
/** Maximum size of all returned buffers that wait for an answer. */
const SPARE_BYTES = 8 * 1024 * 1024

/** Borrowed bytes: the borrower calls `release` once they are sent, or leaves them to the collector. */
export interface LentBytes {
  body: Buffer
  release(): void
}

/**
 * Builds one answer from stored bytes. One at a time in a process: from `start` to `lend` nothing may be
 * awaited, which also keeps every copied value valid.
 */
export class BufferBuilder {
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #length = 0
  readonly #spare: Buffer<ArrayBuffer>[] = []
  #spareBytes = 0

  /** Begins an answer; what a failed one left behind is discarded. */
  start(): void {
    this.#length = 0
  }

  get length(): number {
    return this.#length
  }

  bytes(source: Uint8Array): void {
    this.#makeRoom(source.length)
    this.#scratch.set(source, this.#length)
    this.#length += source.length
  }

  /** Returns a part of stored bytes, without an intermediate view. */
  part(source: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start)
    this.#length += source.copy(this.#scratch, this.#length, start, end)
  }

  ascii(text: string): void {
    this.#makeRoom(text.length)
    this.#length += this.#scratch.write(text, this.#length, 'latin1')
  }

  text(text: string): void {
    this.#makeRoom(3 * text.length)
    this.#length += this.#scratch.write(text, this.#length)
  }

  /**
   * Lends the built bytes in a buffer that is reused after `release`. Allocating one per answer
   * would run the collector over the whole heap several times a second.
   */
  lend(): LentBytes {
    const buffer = this.#scratch
    const body = buffer.subarray(0, this.#length)
    this.#scratch = this.#takeSpare()
    let isOut = true
    const release = () => {
      if (!isOut) return
      isOut = false
      this.#takeBack(buffer)
    }
    return { body, release }
  }

  #takeSpare(): Buffer<ArrayBuffer> {
    const spare = this.#spare.pop()
    if (spare === undefined) return Buffer.allocUnsafeSlow(SCRATCH_BYTES)
    this.#spareBytes -= spare.length
    return spare
  }

  #takeBack(buffer: Buffer<ArrayBuffer>): void {
    if (buffer.length > RETAINED_BYTES_MAX || this.#spareBytes + buffer.length > SPARE_BYTES) return
    this.#spare.push(buffer)
    this.#spareBytes += buffer.length
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#scratch.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#scratch.length))
    larger.set(this.#scratch.subarray(0, this.#length))
    this.#scratch = larger
  }
}

export const writer = new BufferBuilder()
