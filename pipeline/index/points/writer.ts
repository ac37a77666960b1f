const SCRATCH_BYTES = 64 * 1024
/** A larger scratch buffer is given back once its answer is made. */
const KEPT_BYTES = 4 * 1024 * 1024

/**
 * Puts one answer together from stored bytes. One at a time in a process: from `start` to `finish`
 * nothing may be awaited, which also keeps every value that is copied in valid.
 */
class AnswerWriter {
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #length = 0

  /** Begins an answer; what an earlier one left behind when it failed is forgotten. */
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

  /** A part of stored bytes, without a view of it in between. */
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

  /** The answer; one that fills most of the scratch buffer is not copied but takes it along. */
  finish(): Buffer {
    const written = this.#scratch.subarray(0, this.#length)
    if (2 * this.#length < this.#scratch.length && this.#scratch.length <= KEPT_BYTES) {
      const answer = Buffer.allocUnsafe(this.#length)
      answer.set(written)
      return answer
    }
    this.#scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
    return written
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#scratch.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#scratch.length))
    larger.set(this.#scratch.subarray(0, this.#length))
    this.#scratch = larger
  }
}

export const writer = new AnswerWriter()
