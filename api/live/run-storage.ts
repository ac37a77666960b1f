import { SECOND } from '../../pipeline/core/clock.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { Log } from '../../pipeline/core/log.ts'

const RETRY_MS = SECOND / 2
const RETRY_MAX_MS = 30 * SECOND
/** Runs that wait for the writer; further ones are not stored. */
const WAITING_MAX = 200

/**
 * Submits finished runs, and retries while the writer is unavailable: agents were called for them, so none
 * should be lost.
 */
export class RunStorage {
  readonly #log: Log
  readonly #waiting = new Set<NodeJS.Timeout>()

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * Submits a run. While the writer is unavailable, this resolves at once and the run is submitted again
   * until it is stored. So `submit` must be idempotent.
   */
  async store(run_id: string, submit: () => Promise<unknown>): Promise<void> {
    try {
      await submit()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (this.#waiting.size < WAITING_MAX) this.#retryLater(run_id, submit, RETRY_MS)
      else this.#log.warn({ run: run_id }, 'a run is not stored')
    }
  }

  close(): void {
    for (const timer of this.#waiting) clearTimeout(timer)
    this.#waiting.clear()
  }

  #retryLater(run_id: string, submit: () => Promise<unknown>, ms: number): void {
    const timer = setTimeout(async () => {
      try {
        await submit()
      } catch (error) {
        if (!this.#waiting.has(timer)) return
        if (isUnavailable(error)) this.#retryLater(run_id, submit, Math.min(2 * ms, RETRY_MAX_MS))
        else this.#log.warn({ run: run_id, error: String(error) }, 'a run is not stored')
      } finally {
        this.#waiting.delete(timer)
      }
    }, ms)
    timer.unref()
    this.#waiting.add(timer)
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PublicError && error.error === 'unavailable'
}
