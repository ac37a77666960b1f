import { defineScript, type Redis, type Script } from '../../jobs/redis.ts'
import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { limitHeaders } from './crawl.ts'
import { RESERVE_IN_WINDOW } from './storyboards.ts'

const HOUR_S = 3_600
const RETRY_AFTER_S = 5

/**
 * Limits how often an organization has receivers asked, whatever they answer: the address may be somebody
 * else's.
 */
export class ReceiverQuota {
  readonly #reserve: Script<[taken: 0 | 1, left: number, ms: number]>
  readonly #places: number

  constructor(redis: Redis | undefined, { LIMITS }: Config) {
    this.#reserve = defineScript(redis, 'reserveReceiver', 1, RESERVE_IN_WINDOW)
    this.#places = LIMITS.receiverQuestionsPerHour
  }

  /** Takes a place and returns the headers that describe it. Refuses with 429, with 503 while Redis is away. */
  async take(orgId: string): Promise<Readonly<Record<string, string>>> {
    const most = this.#places
    const [taken, left, ms] = await this.#reserve(
      `registry:receivers:${orgId}`,
      most,
      HOUR_S,
    ).catch(() =>
      refuse('unavailable', 'receivers cannot be asked now; try again', {
        retry_after: RETRY_AFTER_S,
      }),
    )
    const seconds = Math.max(1, Math.ceil(ms / SECOND))
    const headers = limitHeaders(most, HOUR_S, left, seconds)
    if (taken === 1) return headers
    const text = `no more than ${most} challenges and tests of receivers an hour`
    return refuse('rate_limited', text, { retry_after: seconds }, headers)
  }
}
