const CHUNK_BYTES = 1024 * 1024

/**
 * Puts one answer together from stored bytes. One at a time in a process: from `start` to `finish`
 * nothing may be awaited, which also keeps every value that is copied in valid. Answers are slices
 * of large chunks, so that none costs an allocation or a second copy.
 */
class AnswerWriter {
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #start = 0
  #end = 0

  /** Begins an answer; what an earlier one left behind when it failed is forgotten. */
  start(): void {
    this.#end = this.#start
  }

  get length(): number {
    return this.#end - this.#start
  }

  bytes(source: Uint8Array): void {
    this.#makeRoom(source.length)
    this.#chunk.set(source, this.#end)
    this.#end += source.length
  }

  ascii(text: string): void {
    this.#makeRoom(text.length)
    this.#end += this.#chunk.write(text, this.#end, 'latin1')
  }

  text(text: string): void {
    this.#makeRoom(3 * text.length)
    this.#end += this.#chunk.write(text, this.#end)
  }

  finish(): Buffer {
    const answer = this.#chunk.subarray(this.#start, this.#end)
    this.#start = this.#end
    return answer
  }

  #makeRoom(more: number): void {
    if (this.#end + more <= this.#chunk.length) return
    const begun = this.#chunk.subarray(this.#start, this.#end)
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, 2 * (begun.length + more)))
    this.#chunk.set(begun)
    this.#start = 0
    this.#end = begun.length
  }
}

export const writer = new AnswerWriter()
