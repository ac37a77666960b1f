import { readSync } from 'node:fs'

/** Bytes of a page; a power of two, and of any type of number a multiple. */
export const PAGE_BYTES = 2 ** 12
const PAGE_BITS = 12
/** Largest memory that the pages of one file take. */
export const CACHE_BYTES_MAX = 2 ** 25

const ABSENT = -1

/**
 * Keeps the pages of an open file that were used last, in a bounded piece of memory; the kernel, which all processes
 * share, keeps the others. Pages are evicted by the clock algorithm: one that was used since the hand passed
 * it last stays for another round.
 */
export class PageCache {
  /** The pages, one after the other, as bytes and as numbers. */
  readonly bytes: Buffer
  readonly words: Uint32Array
  readonly #fd: number
  readonly #fileBytes: number
  /** Slot of each page of the file, and the page in each slot. */
  readonly #slots: Int32Array
  readonly #pages: Int32Array
  readonly #isUsed: Uint8Array
  #filled = 0
  #hand = 0

  constructor(fd: number, fileBytes: number, bytesMax = CACHE_BYTES_MAX) {
    this.#fd = fd
    this.#fileBytes = fileBytes
    const pages = Math.ceil(fileBytes / PAGE_BYTES)
    const slots = Math.max(1, Math.min(pages, Math.floor(bytesMax / PAGE_BYTES)))
    // Memory that no page was read into yet is none: the system gives it when it is written.
    this.bytes = Buffer.allocUnsafeSlow(slots * PAGE_BYTES)
    this.words = new Uint32Array(this.bytes.buffer)
    this.#slots = new Int32Array(pages).fill(ABSENT)
    this.#pages = new Int32Array(slots).fill(ABSENT)
    this.#isUsed = new Uint8Array(slots)
  }

  /** Returns the index in `bytes` of a byte of the file; valid until another page is located. */
  locate(at: number): number {
    const page = Math.floor(at / PAGE_BYTES)
    let slot = this.#slots[page]!
    if (slot === ABSENT) slot = this.#load(page)
    this.#isUsed[slot] = 1
    return (slot << PAGE_BITS) | (at & (PAGE_BYTES - 1))
  }

  /** Reads bytes past the cache, so that a long run does not evict what others use. */
  read(at: number, target: Uint8Array): void {
    const read = readSync(this.#fd, target, 0, target.length, at)
    if (read < target.length) throw new Error('the search file is truncated')
  }

  #load(page: number): number {
    const slot = this.#filled < this.#pages.length ? this.#filled++ : this.#evict()
    const at = page * PAGE_BYTES
    const from = slot * PAGE_BYTES
    this.read(at, this.bytes.subarray(from, from + Math.min(PAGE_BYTES, this.#fileBytes - at)))
    this.#slots[page] = slot
    this.#pages[slot] = page
    return slot
  }

  /** Frees the next slot that was not used since the hand passed it last. */
  #evict(): number {
    for (; this.#isUsed[this.#hand] === 1; this.#hand = (this.#hand + 1) % this.#pages.length)
      this.#isUsed[this.#hand] = 0
    const slot = this.#hand
    this.#hand = (slot + 1) % this.#pages.length
    const page = this.#pages[slot]!
    if (page !== ABSENT) this.#slots[page] = ABSENT
    // Until a page was read into it, the slot holds none.
    this.#pages[slot] = ABSENT
    return slot
  }
}
