import { LRUCache } from 'lru-cache'
import type { ServingStore } from '../../serving/lmdb.ts'
import { AdmissionFilter } from './admission-filter.ts'

/**
 * Caches results derived from the serving store until its next commit, by question: frequent questions are
 * computed once a commit. Limited by the size of all questions and results.
 */
export class CommitCache<Result extends NonNullable<unknown>> {
  readonly #results: LRUCache<string, Result>
  readonly #filter = new AdmissionFilter()
  #store: ServingStore | undefined
  #seq = 0

  constructor(maxBytes: number, measureBytes: (result: Result) => number) {
    this.#results = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (result, question) => Math.max(1, question.length + measureBytes(result)),
    })
  }

  /** Gets a cached value, or makes it. `make` may read nothing but the store: the clock is not part of the key. */
  get(store: ServingStore, question: string, make: () => Result): Result {
    const { seq } = store
    if (store !== this.#store || seq !== this.#seq) this.#begin(store, seq)
    const known = this.#results.get(question)
    if (known !== undefined) return known
    const result = make()
    if (this.#filter.admits(question)) this.#results.set(question, result)
    return result
  }

  #begin(store: ServingStore, seq: number): void {
    this.#results.clear()
    this.#store = store
    this.#seq = seq
  }
}
