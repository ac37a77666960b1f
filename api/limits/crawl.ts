import { defineScript, type Redis, type Script } from '../../jobs/redis.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'

const HOUR_S = 3_600
const RETRY_AFTER_S = 5

/**
 * Takes a place in both windows, or in none. Returns which window is full, if any (the one that stays full
 * longer if both are), how many places the caller has left, and the milliseconds until that window opens
 * again.
 */
const RESERVE = `
local held = redis.call('PTTL', KEYS[1])
local most = tonumber(ARGV[3])
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
local full = used >= most and math.max(redis.call('PTTL', KEYS[2]), 1) or 0
if full > 0 and full > held then return {'user', 0, full} end
if held > 0 then return {'place', 0, held} end
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
used = redis.call('INCR', KEYS[2])
if used == 1 then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
return {'taken', most - used, redis.call('PTTL', KEYS[2])}`

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
if tonumber(redis.call('GET', KEYS[2]) or '0') > 0 then redis.call('DECR', KEYS[2]) end`

export interface CrawlPlace {
  id: string
  /** The limited place: a domain for any of its files, or `manager:` and a domain. */
  place: string
  user: string
}

type Headers = Readonly<Record<string, string>>

/** Limits crawl requests: one per place and window, and a number an hour per user across all places. */
export class CrawlQuota {
  readonly #reserve: Script<[window: 'place' | 'user' | 'taken', left: number, ms: number]>
  readonly #release: Script<unknown>
  readonly #config: Config

  constructor(redis: Redis | undefined, config: Config) {
    this.#reserve = defineScript(redis, 'reserveCrawl', 2, RESERVE)
    this.#release = defineScript(redis, 'releaseCrawl', 2, RELEASE)
    this.#config = config
  }

  /**
   * Takes a place in both windows, or refuses with 429; 503 while Redis is unavailable. Returns the headers
   * with the remaining places.
   */
  async reserve(request: CrawlPlace): Promise<Headers> {
    const { crawlRequestDomainSeconds, crawlRequestsPerHour } = this.#config.LIMITS
    const [window, left, ms] = await this.#run(
      this.#reserve,
      request,
      crawlRequestDomainSeconds,
      crawlRequestsPerHour,
      HOUR_S,
    )
    const seconds = Math.max(1, Math.ceil(ms / 1_000))
    const byUser = limitHeaders(crawlRequestsPerHour, HOUR_S, left, seconds)
    if (window === 'taken') return byUser
    if (window === 'user') {
      const text = `no more than ${crawlRequestsPerHour} crawl requests an hour`
      refuse('rate_limited', text, { retry_after: seconds }, byUser)
    }
    const text = `a crawl of ${request.place.replace(/^manager:/, '')} was requested a moment ago`
    const byPlace = limitHeaders(1, crawlRequestDomainSeconds, 0, seconds)
    return refuse('rate_limited', text, { retry_after: seconds }, byPlace)
  }

  /** Gives the place of a request back that was not admitted. */
  async release(request: CrawlPlace): Promise<void> {
    await this.#run(this.#release, request).catch(() => undefined)
  }

  async #run<Answer>(
    script: Script<Answer>,
    { id, place, user }: CrawlPlace,
    ...more: number[]
  ): Promise<Answer> {
    try {
      return await script(
        `registry:crawl:place:${place}`,
        `registry:crawl:user:${user}`,
        id,
        ...more,
      )
    } catch {
      return refuse(
        'crawl_queue_unavailable',
        'crawl requests cannot be accepted at the moment; try again',
        {
          retry_after: RETRY_AFTER_S,
        },
      )
    }
  }
}

/** Builds headers with the remaining places of a window and the time at which it opens again. */
export function limitHeaders(
  most: number,
  windowS: number,
  left: number,
  seconds: number,
): Headers {
  return {
    'ratelimit-policy': `${most};w=${windowS}`,
    'ratelimit-limit': String(most),
    'ratelimit-remaining': String(left),
    'ratelimit-reset': String(seconds),
  }
}
