import type { Clock, Instant } from '../core/clock.ts'

interface Entry<Value> {
  value: Value
  until: Instant
}

/** A map that forgets: an entry at its time, and the oldest one when it is full. */
export class TtlCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #clock: Clock
  readonly #size: number

  constructor(clock: Clock, size: number) {
    this.#clock = clock
    this.#size = size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until > this.#clock.now()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: Value, ttlMs: number): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#size) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(key, { value, until: this.#clock.now() + ttlMs })
  }
}
