import type { ServingStore } from '../serving.ts'
import { AskedBefore } from './asked-before.ts'

/**
 * What was worked out from the serving store since its last commit, by question: what is asked often
 * is worked out once a commit, and kept when it is asked for again. Bounded by the size of all questions and results; what would go beyond
 * it has all of them forgotten, and a result that is larger alone is not kept.
 */
export class SinceCommit<Result> {
  readonly #maxBytes: number
  readonly #bytesOf: (result: Result) => number
  readonly #known = new Map<string, Result>()
  readonly #before = new AskedBefore()
  #bytes = 0
  #store: ServingStore | undefined
  #seq = 0

  constructor(maxBytes: number, bytesOf: (result: Result) => number) {
    this.#maxBytes = maxBytes
    this.#bytesOf = bytesOf
  }

  /** `make` may read nothing but the store: the clock does not count here. */
  get(store: ServingStore, question: string, make: () => Result): Result {
    const { seq } = store
    if (store !== this.#store || seq !== this.#seq) this.#begin(store, seq)
    const known = this.#known.get(question)
    if (known !== undefined) return known
    const result = make()
    if (!this.#before.note(question)) return result
    const bytes = question.length + this.#bytesOf(result)
    if (bytes > this.#maxBytes) return result
    if (this.#bytes + bytes > this.#maxBytes) this.#begin(store, seq)
    this.#known.set(question, result)
    this.#bytes += bytes
    return result
  }

  #begin(store: ServingStore, seq: number): void {
    this.#known.clear()
    this.#bytes = 0
    this.#store = store
    this.#seq = seq
  }
}
