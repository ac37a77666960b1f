import type { Clock } from '../../pipeline/core/clock.ts'

/** Remembers recent attempts, so that a timer tries other keys first. */
export class RecentAttempts<Key> {
  readonly #clock: Clock
  readonly #retryMs: number
  readonly #triedAt = new Map<Key, number>()

  /** Creates a memory in which a key stays for `retryMs` after its last attempt. */
  constructor(clock: Clock, retryMs: number) {
    this.#clock = clock
    this.#retryMs = retryMs
  }

  remember(key: Key): void {
    this.#triedAt.set(key, this.#clock.now())
  }

  /** Lists the keys that may not be tried again yet. */
  list(): Key[] {
    const now = this.#clock.now()
    for (const [key, at] of this.#triedAt) {
      if (now - at >= this.#retryMs) this.#triedAt.delete(key)
    }
    return [...this.#triedAt.keys()]
  }
}
