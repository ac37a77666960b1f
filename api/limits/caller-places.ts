import { refuse } from '../../pipeline/core/errors.ts'

const AGAIN_SECONDS = 1

/** Counts the open requests of callers, and refuses (429) those of a caller with too many. */
export class CallerPlaces {
  readonly #most: number
  readonly #taken = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes a place; returns a function that gives it back once. */
  take(caller: string): () => void {
    const taken = this.#taken.get(caller) ?? 0
    if (taken >= this.#most) {
      const text = `a caller may have ${this.#most} of these open at once; try again`
      refuse('rate_limited', text, { retry_after: AGAIN_SECONDS })
    }
    this.#taken.set(caller, taken + 1)
    return () => this.#giveBack(caller)
  }

  #giveBack(caller: string): void {
    const left = this.#taken.get(caller)! - 1
    if (left === 0) this.#taken.delete(caller)
    else this.#taken.set(caller, left)
  }
}
