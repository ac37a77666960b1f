import type { Clock, Instant } from '../../pipeline/core/clock.ts'
import { CallerShares } from './caller-shares.ts'

const ANSWERS_BYTES_MAX = 16 * 1024 * 1024
/** Bytes that an answer takes beside its text, so that many small ones are limited too. */
const OVERHEAD_BYTES = 1_024

interface RecentAnswer {
  answer: unknown
  at: Instant
}

/** Stores recent answers from the web in the memory of this process. Callers share the room. */
export class RecentAnswers {
  readonly #clock: Clock
  readonly #answers = new Map<string, RecentAnswer>()
  readonly #shares = new CallerShares<string>(ANSWERS_BYTES_MAX)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Stores the answer that a caller has caused, and drops the oldest of those who caused most. */
  keep(cacheKey: string, answer: unknown, caller: string): void {
    const size = OVERHEAD_BYTES + JSON.stringify(answer).length
    this.#answers.set(cacheKey, { answer, at: this.#clock.now() })
    for (const gone of this.#shares.add(caller, cacheKey, size)) this.#answers.delete(gone)
  }

  /** Finds an answer that is younger than `maxAgeMs`. */
  find(cacheKey: string, maxAgeMs: number): { answer: unknown; ageMs: number } | undefined {
    const recent = this.#answers.get(cacheKey)
    if (recent === undefined) return undefined
    const ageMs = Math.max(0, this.#clock.now() - recent.at)
    return ageMs < maxAgeMs ? { answer: recent.answer, ageMs } : undefined
  }
}
