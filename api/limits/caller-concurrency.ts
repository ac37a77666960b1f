import { refuse } from '../../pipeline/core/errors.ts'
import { getOrThrow } from '../../pipeline/core/present.ts'

const RETRY_AFTER_S = 1

/** Limits the concurrent requests of each caller; further ones are refused. */
export class CallerConcurrency {
  readonly #max: number
  readonly #running = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Admits a request, or refuses it with 429; returns the function to call once at its end. */
  admit(caller: string): () => void {
    const running = this.#running.get(caller) ?? 0
    if (running >= this.#max) {
      const text = `a caller may have ${this.#max} of these requests open at once`
      refuse('rate_limited', text, { retry_after: RETRY_AFTER_S })
    }
    this.#running.set(caller, running + 1)
    return () => this.#release(caller)
  }

  #release(caller: string): void {
    const left = getOrThrow(this.#running, caller) - 1
    if (left === 0) this.#running.delete(caller)
    else this.#running.set(caller, left)
  }
}
