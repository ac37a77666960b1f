import { hashFnv1a } from '../../core/fnv.ts'

const SLOTS = 1 << 16
/** Keys that share a place: with one, those that fall into the same slot would replace each other forever. */
const WAYS = 4

/**
 * Admits a key to a cache on its second request. It remembers recent keys by their hashes, each in its place
 * until newer ones fill that. An answer that is requested once is not worth caching: objects that outlive
 * their request cost the garbage collector more than building them again.
 */
export class AdmissionFilter {
  readonly #hashes = new Int32Array(SLOTS)

  /** Tells whether a key was requested before, and remembers it. */
  admits(key: string): boolean {
    const hash = hashText(key)
    const place = hash & (SLOTS - WAYS)
    for (let slot = place; slot < place + WAYS; slot++) if (this.#hashes[slot] === hash) return true
    this.#hashes.copyWithin(place + 1, place, place + WAYS - 1)
    this.#hashes[place] = hash
    return false
  }
}

function hashText(text: string): number {
  const full = hashFnv1a(text)
  // Keys with the same beginning must not fall into the same slots.
  const hash = full ^ (full >>> 15)
  return hash === 0 ? 1 : hash
}
