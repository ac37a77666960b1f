// biome-ignore-all lint/style/noNonNullAssertion: a list ends before its bytes do

/**
 * Encodes rising ids as varints: each is the difference to the one before, with seven bits per byte, the
 * lowest first.
 */
export class PostingsBuffer {
  #bytes = new Uint8Array(1024)
  length = 0

  add(difference: number): void {
    if (this.length + 5 > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    let rest = difference
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.length++] = rest
  }

  /** Returns what was added from a position on, without a copy: valid until the next `add`. */
  slice(from = 0, to = this.length): Uint8Array {
    return this.#bytes.subarray(from, to)
  }
}

/** Packed lists, read byte by byte. */
interface PackedLists {
  at(index: number): number | undefined
}

/** Iterates over one list lazily. */
export class Cursor {
  /** The current id; Infinity after the last. */
  id = -1
  readonly #bytes: PackedLists
  #position: number
  readonly #end: number

  constructor(bytes: PackedLists, start: number, end: number) {
    this.#bytes = bytes
    this.#position = start
    this.#end = end
  }

  next(): number {
    if (this.#position === this.#end) {
      this.id = Number.POSITIVE_INFINITY
      return this.id
    }
    let byte = this.#bytes.at(this.#position++)!
    let difference = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = this.#bytes.at(this.#position++)!
      difference |= (byte & 127) << shift
    }
    // The first difference is to -1, so that every one is at least 1.
    this.id += difference
    return this.id
  }
}
