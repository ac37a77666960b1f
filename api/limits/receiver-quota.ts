import { REDIS_PREFIX, type Redis } from '../../jobs/redis.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { LimitHeaders } from './limit-headers.ts'
import { RedisWindowCounter, type WindowUse } from './redis-window-counter.ts'

const HOUR_S = 3_600

/**
 * Limits how often an organization can have requests posted to receivers, whatever they answer: the address
 * may be somebody else's.
 */
export class ReceiverQuota {
  readonly #counter: RedisWindowCounter
  readonly #max: number

  constructor(redis: Redis | undefined, { LIMITS }: Config) {
    this.#counter = new RedisWindowCounter(
      redis,
      'receivers cannot be reached at the moment; try again',
    )
    this.#max = LIMITS.receiverQuestionsPerHour
  }

  /** Counts a request to a receiver and returns the headers of the limit. Refuses with 429, with 503 while Redis is down. */
  count(orgId: string): Promise<LimitHeaders> {
    return this.#counter.countOrRefuse(toKey(orgId), {
      max: this.#max,
      windowSeconds: HOUR_S,
      refusal: `no more than ${this.#max} challenges and tests of receivers an hour`,
    })
  }

  /** Reads the window of an organization and counts nothing. Throws while Redis is down. */
  readUse(orgId: string): Promise<WindowUse> {
    return this.#counter.read(toKey(orgId))
  }
}

function toKey(orgId: string): string {
  return `${REDIS_PREFIX}:receivers:${orgId}`
}
