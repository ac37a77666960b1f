import { LRUCache } from 'lru-cache'
import type { Clock, Instant } from '../../pipeline/core/clock.ts'

const ANSWERS_BYTES_MAX = 16 * 1024 * 1024
const ANSWERS_MAX = 5_000

interface RecentAnswer {
  answer: unknown
  at: Instant
}

/** Caches recent answers from the web in the memory of this process. */
export class RecentAnswers {
  readonly #clock: Clock
  readonly #answers = new LRUCache<string, RecentAnswer>({
    max: ANSWERS_MAX,
    maxSize: ANSWERS_BYTES_MAX,
  })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keep(cacheKey: string, answer: unknown): void {
    const size = JSON.stringify(answer).length
    this.#answers.set(cacheKey, { answer, at: this.#clock.now() }, { size })
  }

  /** Finds an answer that is younger than `maxAgeMs`. */
  find(cacheKey: string, maxAgeMs: number): { answer: unknown; ageMs: number } | undefined {
    const recent = this.#answers.get(cacheKey)
    if (recent === undefined) return undefined
    const ageMs = Math.max(0, this.#clock.now() - recent.at)
    return ageMs < maxAgeMs ? { answer: recent.answer, ageMs } : undefined
  }
}
