import type { Instant } from './clock.ts'

/**
 * Limits how often something may happen under a name within a fixed window. All names share one window,
 * and all counts are reset when it ends, so memory is bounded by the names of one window.
 */
export class WindowCounter {
  readonly #windowMs: number
  readonly #counts = new Map<string, number>()
  #windowEnd: Instant = Number.NEGATIVE_INFINITY

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Counts one more under a name and returns true; false, and not counted, after `max` in this window. */
  take(name: string, max: number, now: Instant): boolean {
    // A clock that was set back begins a new window too.
    if (now >= this.#windowEnd || now < this.#windowEnd - this.#windowMs) {
      this.#counts.clear()
      this.#windowEnd = now + this.#windowMs
    }
    const count = this.#counts.get(name) ?? 0
    if (count >= max) return false
    this.#counts.set(name, count + 1)
    return true
  }
}
