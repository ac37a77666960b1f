/** Rising ids as a list keeps them: the difference to the one before, seven bits a byte, low first. */
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

  /** What was added from a position on, without a copy: valid until the next `add`. */
  slice(from = 0, to = this.length): Uint8Array {
    return this.#bytes.subarray(from, to)
  }
}

/** The ids of a whole list. */
export function unpack(bytes: Uint8Array, count: number): Uint32Array {
  const ids = new Uint32Array(count)
  let id = -1
  for (let i = 0, at = 0; i < count; i++) {
    let byte = bytes[at++]!
    let difference = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      difference |= (byte & 127) << shift
    }
    id += difference
    ids[i] = id
  }
  return ids
}

/** Keeps those of the first `count` ids that stand in a list too, in front; how many there are. */
export function keep(ids: Uint32Array, count: number, bytes: Uint8Array): number {
  let kept = 0
  let id = -1
  let at = 0
  for (let i = 0; i < count; i++) {
    const wanted = ids[i]!
    while (id < wanted && at < bytes.length) {
      let byte = bytes[at++]!
      let difference = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!
        difference |= (byte & 127) << shift
      }
      id += difference
    }
    if (id === wanted) ids[kept++] = wanted
  }
  return kept
}

/** Goes through one list as far as somebody needs it. */
export class Cursor {
  /** The id it stands at; Infinity after the last. */
  id = -1
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  next(): number {
    if (this.#at === this.#end) {
      this.id = Number.POSITIVE_INFINITY
      return this.id
    }
    let byte = this.#bytes[this.#at++]!
    let difference = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = this.#bytes[this.#at++]!
      difference |= (byte & 127) << shift
    }
    // The first difference is to -1, so that every one is at least 1.
    this.id += difference
    return this.id
  }

  /** Goes on to the first id from `id` on. */
  reach(id: number): number {
    while (this.id < id) this.next()
    return this.id
  }
}
