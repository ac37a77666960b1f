/** 8 MiB: of five million ids one in two hundred that are new is looked up in vain. */
const BITS = 1 << 26
/** Bits that are set for an id. */
const BITS_PER_ID = 4

/**
 * Remembers ids in a few bits of each: a new id is recognized at once, and only one that may be
 * known is looked up.
 */
export class SeenIds {
  readonly #bits = new Uint32Array(BITS / 32)

  add(id: string): void {
    for (const place of hashPlaces(id)) this.#bits[place >>> 5]! |= 1 << (place & 31)
  }

  mayHave(id: string): boolean {
    return hashPlaces(id).every(place => (this.#bits[place >>> 5]! >>> (place & 31)) & 1)
  }
}

/** Hashes an id to its bits by two hashes (FNV-1a, from two offsets): one is the start, the other the step. */
function hashPlaces(id: string): number[] {
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
