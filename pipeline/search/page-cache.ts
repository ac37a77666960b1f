// biome-ignore-all lint/style/noNonNullAssertion: pages are those of the file, and slots those of the cache

import { readSync } from 'node:fs'

/** Bytes of a page: a power of two, so that no number crosses the end of a page. */
export const PAGE_BYTES = 2 ** 12
const PAGE_BITS = 12
/** Maximum memory for the pages of one file. */
export const CACHE_BYTES_MAX = 2 ** 25

const ABSENT = -1

/**
 * Keeps the most recently used pages of an open file, in a bounded amount of memory; the kernel, whose
 * cache all processes share, keeps the others. Pages are evicted by the clock algorithm: a page that was
 * used since the hand last passed it stays for another round.
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
  #clockHand = 0

  constructor(fd: number, fileBytes: number, bytesMax = CACHE_BYTES_MAX) {
    this.#fd = fd
    this.#fileBytes = fileBytes
    const pages = Math.ceil(fileBytes / PAGE_BYTES)
    const slots = Math.max(1, Math.min(pages, Math.floor(bytesMax / PAGE_BYTES)))
    // The system allocates this memory only when a page is read into it.
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

  /** Frees the next slot that was not used since the hand last passed it. */
  #evict(): number {
    for (
      ;
      this.#isUsed[this.#clockHand] === 1;
      this.#clockHand = (this.#clockHand + 1) % this.#pages.length
    )
      this.#isUsed[this.#clockHand] = 0
    const slot = this.#clockHand
    this.#clockHand = (slot + 1) % this.#pages.length
    const page = this.#pages[slot]!
    if (page !== ABSENT) this.#slots[page] = ABSENT
    // The slot is empty until a page has been read into it.
    this.#pages[slot] = ABSENT
    return slot
  }
}
