const SLOTS = 1 << 16
const FNV_START = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * Whether something was asked lately: the hashes of what was, each in its slot until another one takes
 * that. What is asked only once is not worth keeping: objects that outlive their request cost the
 * collector more than making them.
 */
export class AskedBefore {
  readonly #seen = new Int32Array(SLOTS)

  /** Whether this was asked before; from now on it was. */
  note(question: string): boolean {
    const hash = hashOf(question)
    const slot = hash & (SLOTS - 1)
    const wasAsked = this.#seen[slot] === hash
    this.#seen[slot] = hash
    return wasAsked
  }
}

function hashOf(text: string): number {
  let hash = FNV_START
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME)
  // What begins alike must not fall into the same slots.
  hash ^= hash >>> 15
  return hash === 0 ? 1 : hash
}
