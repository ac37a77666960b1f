import { hashFnv1a } from '../../core/fnv.ts'

const SLOTS = 1 << 16

/**
 * Admits a key to a cache on its second request. It remembers recent keys by their hashes, each in its slot
 * until another one takes it. An answer that is requested once is not worth caching: objects that outlive
 * their request cost the garbage collector more than building them again.
 */
export class AdmissionFilter {
  readonly #hashes = new Int32Array(SLOTS)

  /** Tells whether a key was requested before, and remembers it. */
  admits(key: string): boolean {
    const hash = hashText(key)
    const slot = hash & (SLOTS - 1)
    const isSecond = this.#hashes[slot] === hash
    this.#hashes[slot] = hash
    return isSecond
  }
}

function hashText(text: string): number {
  const full = hashFnv1a(text)
  // Keys with the same beginning must not fall into the same slots.
  const hash = full ^ (full >>> 15)
  return hash === 0 ? 1 : hash
}
