import type { PartsReader } from './file.ts'

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

const WINDOW = 4 * 1024

/** Goes through one list, reading it in windows, so that who needs its beginning reads no more. */
export class Cursor {
  /** The id it stands at; Infinity after the last. */
  id = -1
  readonly #file: PartsReader<unknown>
  readonly #window: Uint8Array
  #next: number
  #unread: number
  #at = 0
  #filled = 0

  constructor(file: PartsReader<unknown>, at: number, bytes: number) {
    this.#file = file
    this.#next = at
    this.#unread = bytes
    this.#window = new Uint8Array(Math.min(WINDOW, bytes))
  }

  next(): number {
    let difference = 0
    for (let shift = 0; ; shift += 7) {
      if (this.#at === this.#filled && !this.#fill()) {
        this.id = Number.POSITIVE_INFINITY
        return this.id
      }
      const byte = this.#window[this.#at++]!
      difference |= (byte & 127) << shift
      if (byte < 128) break
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

  #fill(): boolean {
    if (this.#unread === 0) return false
    const wanted = Math.min(this.#window.length, this.#unread)
    this.#filled = this.#file.readInto(this.#window, wanted, this.#next)
    if (this.#filled === 0) throw new Error('the search file is cut off')
    this.#next += this.#filled
    this.#unread -= this.#filled
    this.#at = 0
    return true
  }
}
