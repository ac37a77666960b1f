import { defineScript, type Redis, type Script } from '../../jobs/redis.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { buildLimitHeaders, type LimitHeaders, toRetrySeconds } from './limit-headers.ts'

const RETRY_AFTER_S = 5

/** Counts a use. Returns whether it is within the limit, how many uses remain, and the milliseconds until the window ends. */
const COUNT = `
local max = tonumber(ARGV[1])
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= max then return {0, 0, math.max(redis.call('PTTL', KEYS[1]), 1)} end
used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return {1, max - used, redis.call('PTTL', KEYS[1])}`

const UNCOUNT_SCRIPT = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end`

/** Reads how often a key was used in its window, and the milliseconds until that ends. */
const READ_SCRIPT = `return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1])}`

/** Use of a window. */
export interface WindowUse {
  used: number
  /** Milliseconds until the window ends, or until the oldest use in a sliding one ends; none without a use. */
  resetMs: number | undefined
}

/** A maximum number of uses in a window that begins with the first of them. */
export interface WindowLimit {
  max: number
  windowSeconds: number
}

/** Counts uses of a key in Redis, for all processes together. */
export class RedisWindowCounter {
  readonly #count: Script<[isAllowed: 0 | 1, remaining: number, ms: number]>
  readonly #uncount: Script<unknown>
  readonly #read: Script<[used: number, ms: number]>
  readonly #unavailable: string

  /** Creates a counter; `unavailable` is the text of a refusal while Redis is down. */
  constructor(redis: Redis | undefined, unavailable: string) {
    this.#count = defineScript(redis, 'countInWindow', 1, COUNT)
    this.#uncount = defineScript(redis, 'uncountInWindow', 1, UNCOUNT_SCRIPT)
    this.#read = defineScript(redis, 'readWindow', 1, READ_SCRIPT)
    this.#unavailable = unavailable
  }

  /** Counts a use and returns the headers of its window. Refuses with 429 beyond the limit, with 503 while Redis is down. */
  async countOrRefuse(
    key: string,
    { refusal, ...limit }: WindowLimit & { refusal: string },
  ): Promise<LimitHeaders> {
    const { isAllowed, remaining, resetSeconds } = await this.count(key, limit)
    const headers = buildLimitHeaders({ ...limit, remaining, resetSeconds })
    if (isAllowed) return headers
    return refuse('rate_limited', refusal, { retry_after: resetSeconds }, headers)
  }

  /** Counts a use, unless the window is full. Refuses with 503 while Redis is down. */
  async count(key: string, { max, windowSeconds }: WindowLimit) {
    const [isAllowed, remaining, ms] = await this.#count(key, max, windowSeconds).catch(() =>
      refuse('unavailable', this.#unavailable, { retry_after: RETRY_AFTER_S }),
    )
    return { isAllowed: isAllowed === 1, remaining, resetSeconds: toRetrySeconds(ms) }
  }

  /** Takes a use back that caused no work; without effect while Redis is down. */
  async uncount(key: string): Promise<void> {
    await this.#uncount(key).catch(() => undefined)
  }

  /** Reads the window of a key without counting. Throws while Redis is down. */
  async read(key: string): Promise<WindowUse> {
    const [used, ms] = await this.#read(key)
    return { used, resetMs: used > 0 && ms > 0 ? ms : undefined }
  }
}
