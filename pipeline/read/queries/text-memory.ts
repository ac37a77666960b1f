const PIECE_BYTES = 1024 * 1024

/**
 * Keeps texts that stay as bytes, one after the other in large pieces of memory. A buffer that shares
 * Node's pool would keep whatever else was made there for a moment, which is more than itself.
 */
export class TextMemory {
  #piece = Buffer.alloc(0)
  #used = 0

  add(text: string): Buffer {
    const length = Buffer.byteLength(text)
    if (this.#used + length > this.#piece.length) {
      this.#piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, length))
      this.#used = 0
    }
    const bytes = this.#piece.subarray(this.#used, this.#used + length)
    bytes.write(text)
    this.#used += length
    return bytes
  }
}
