import type { Config } from '../pipeline/core/config.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { RedisScript, type ScriptStore } from './redis-script.ts'

const HOUR_S = 3_600
const RETRY_AFTER_S = 5

/**
 * Takes a place in both windows, or in none: which one is shut if any, and longer if both are, how
 * many places the caller has left, and the milliseconds until the window that was named opens again.
 */
const RESERVE = new RedisScript<[window: 'place' | 'user' | 'taken', left: number, ms: number]>(`
local held = redis.call('PTTL', KEYS[1])
local most = tonumber(ARGV[3])
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
local full = used >= most and math.max(redis.call('PTTL', KEYS[2]), 1) or 0
if full > 0 and full > held then return {'user', 0, full} end
if held > 0 then return {'place', 0, held} end
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
used = redis.call('INCR', KEYS[2])
if used == 1 then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
return {'taken', most - used, redis.call('PTTL', KEYS[2])}`)

const RELEASE = new RedisScript<unknown>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
if tonumber(redis.call('GET', KEYS[2]) or '0') > 0 then redis.call('DECR', KEYS[2]) end`)

export interface CrawlPlace {
  id: string
  /** What is asked for: a domain, whatever files of it, or `manager:` and a domain. */
  place: string
  user: string
}

type Headers = Readonly<Record<string, string>>

/**
 * How often a crawl may be asked for: once a place in a window, and so many an hour by a user, of
 * every kind together.
 */
export class CrawlQuota {
  readonly #store: ScriptStore | undefined
  readonly #config: Config

  constructor(store: ScriptStore | undefined, config: Config) {
    this.#store = store
    this.#config = config
  }

  /**
   * Takes a place in both windows, or refuses with 429; 503 while nobody can count. Returns the
   * headers that say how many are left.
   */
  async reserve(request: CrawlPlace): Promise<Headers> {
    const { crawlRequestDomainSeconds, crawlRequestsPerHour } = this.#config.LIMITS
    const [window, left, ms] = await this.#run(
      RESERVE,
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
    const text = `a crawl of ${request.place.replace(/^manager:/, '')} was asked for a moment ago`
    const byPlace = limitHeaders(1, crawlRequestDomainSeconds, 0, seconds)
    return refuse('rate_limited', text, { retry_after: seconds }, byPlace)
  }

  /** Gives the place back of a request that was not admitted. */
  async release(request: CrawlPlace): Promise<void> {
    await this.#run(RELEASE, request).catch(() => undefined)
  }

  async #run<Answer>(
    script: RedisScript<Answer>,
    { id, place, user }: CrawlPlace,
    ...more: number[]
  ): Promise<Answer> {
    const keys = [`registry:crawl:place:${place}`, `registry:crawl:user:${user}`]
    try {
      return await script.run(this.#store, keys, [id, ...more])
    } catch {
      return refuse('unavailable', 'crawl requests cannot be taken now; try again', {
        code: 'crawl_queue_unavailable',
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}

/** How many are left of what may be asked for in a window, and when there will be more. */
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
