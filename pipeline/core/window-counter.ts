import type { Instant } from './clock.ts'

/** Counts by name in windows of one length; the counts are reset at the end of each. */
export class WindowCounter {
  readonly #windowMs: number
  readonly #counts = new Map<string, number>()
  #ends: Instant = Number.NEGATIVE_INFINITY

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Counts one more under a name, unless there are `max` in this window. */
  take(name: string, max: number, now: Instant): boolean {
    // A clock that was set back begins a new window too.
    if (now >= this.#ends || now < this.#ends - this.#windowMs) {
      this.#counts.clear()
      this.#ends = now + this.#windowMs
    }
    const count = this.#counts.get(name) ?? 0
    if (count >= max) return false
    this.#counts.set(name, count + 1)
    return true
  }
}
