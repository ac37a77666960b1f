/** Size of a filter: 8 MiB, with which one in two hundred new ids seems known among five million. */
const BITS = 1 << 26
/** Bits that are set for an id. */
const BITS_PER_ID = 4

/**
 * A Bloom filter of ids: it tells for certain that an id is new, so that only one that may be known has to be
 * looked up.
 */
export class BloomFilter {
  readonly #bits = new Uint32Array(BITS / 32)

  add(id: string): void {
    // biome-ignore lint/style/noNonNullAssertion: every bit is below BITS
    for (const bit of hashBits(id)) this.#bits[bit >>> 5]! |= 1 << (bit & 31)
  }

  /** Tells whether an id may have been added; false is certain. */
  mayHave(id: string): boolean {
    // biome-ignore lint/style/noNonNullAssertion: every bit is below BITS
    return hashBits(id).every(bit => (this.#bits[bit >>> 5]! >>> (bit & 31)) & 1)
  }
}

/** Hashes an id to its bits by double hashing: two FNV-1a hashes, one the start, the other the step. */
function hashBits(id: string): number[] {
  let first = 0x811c9dc5
  let second = 0x01234567
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i)
    first = Math.imul(first ^ unit, 0x01000193)
    second = Math.imul(second ^ unit, 0x01000193)
  }
  return Array.from(
    { length: BITS_PER_ID },
    (_, n) => (first + Math.imul(n, second | 1)) & (BITS - 1),
  )
}
