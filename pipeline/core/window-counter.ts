import type { Instant } from './clock.ts'

/** Name under which all are counted that are too many to be counted apart. */
const OTHERS = ''

/**
 * Limits how often something may happen under a name within a fixed window. All names share one window,
 * and all counts are reset when it ends. `namesMax` bounds those that are counted apart, where anybody can
 * come under new ones: all others count as one.
 */
export class WindowCounter {
  readonly #windowMs: number
  readonly #namesMax: number
  readonly #counts = new Map<string, number>()
  #windowEnd: Instant = Number.NEGATIVE_INFINITY

  constructor(windowMs: number, namesMax = Number.POSITIVE_INFINITY) {
    this.#windowMs = windowMs
    this.#namesMax = namesMax
  }

  /** Counts one more under a name and returns true; false, and not counted, after `max` in this window. */
  take(name: string, max: number, now: Instant): boolean {
    // A clock that was set back begins a new window too.
    if (now >= this.#windowEnd || now < this.#windowEnd - this.#windowMs) {
      this.#counts.clear()
      this.#windowEnd = now + this.#windowMs
    }
    const counted = this.#counts.has(name) || this.#counts.size < this.#namesMax ? name : OTHERS
    const count = this.#counts.get(counted) ?? 0
    if (count >= max) return false
    this.#counts.set(counted, count + 1)
    return true
  }
}
