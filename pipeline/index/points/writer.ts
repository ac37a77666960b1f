const START_BYTES = 64 * 1024
/** A larger scratch buffer is given back once its answer is made. */
const KEPT_BYTES = 4 * 1024 * 1024

/**
 * Puts one answer together from stored bytes. One at a time in a process: from `start` to `finish` nothing may be awaited, which also keeps every value that is copied in valid.
 */
class AnswerWriter {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES)
  #length = 0

  /** Begins an answer; what an earlier one left behind when it failed is forgotten. */
  start(text: string): void {
    this.#length = 0
    this.ascii(text)
  }

  get length(): number {
    return this.#length
  }

  /** Bytes of `source` from `start` up to `end`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#makeRoom(end - start)
    this.#bytes.set(source.subarray(start, end), this.#length)
    this.#length += end - start
  }

  ascii(text: string): void {
    this.#makeRoom(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  text(text: string): void {
    this.#makeRoom(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  finish(): Buffer {
    const answer = Buffer.allocUnsafe(this.#length)
    answer.set(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(START_BYTES)
    return answer
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

export const writer = new AnswerWriter()
