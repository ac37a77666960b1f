const SLOTS = 1 << 16
const FNV_START = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * Admits a key to a cache when it is asked for a second time. It remembers recent keys by their hashes,
 * each in its slot until another one takes it. The answer to a question asked once is not worth caching:
 * objects that outlive their request cost the garbage collector more than making them.
 */
export class AdmissionFilter {
  readonly #seen = new Int32Array(SLOTS)

  /** Tells whether a key was asked for before, and remembers it. */
  admits(key: string): boolean {
    const hash = hashText(key)
    const slot = hash & (SLOTS - 1)
    const isSecond = this.#seen[slot] === hash
    this.#seen[slot] = hash
    return isSecond
  }
}

function hashText(text: string): number {
  let hash = FNV_START
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME)
  // What begins alike must not fall into the same slots.
  hash ^= hash >>> 15
  return hash === 0 ? 1 : hash
}
