import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../../jobs/redis.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { buildLimitHeaders, type LimitHeaders, toRetrySeconds } from './limit-headers.ts'
import { RedisWindowCounter, type WindowUse } from './redis-window-counter.ts'

/** Limits of requests that cause a crawl. */
export const crawlLimits = ['crawlRequestsPerHour', 'crawlRequestDomainSeconds'] as const

const HOUR_S = 3_600
const RETRY_AFTER_S = 5
const UNAVAILABLE = 'crawl requests cannot be accepted at the moment; try again'

/**
 * Counts a request for its target (one request a window) and for its user (some an hour), or for neither.
 * Returns which of the two refuses it, if any (where both do, the one that does so longer), how many requests
 * the user has left, the milliseconds until that window ends, and the request that holds the target.
 */
const RESERVE_SCRIPT = `
local held = redis.call('PTTL', KEYS[1])
local max = tonumber(ARGV[3])
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
local full = used >= max and math.max(redis.call('PTTL', KEYS[2]), 1) or 0
if full > 0 and full > held then return {'user', 0, full} end
if held > 0 then return {'target', 0, held, redis.call('GET', KEYS[1])} end
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
used = redis.call('INCR', KEYS[2])
if used == 1 then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
return {'allowed', max - used, redis.call('PTTL', KEYS[2])}`

/** Takes a request back. Its target becomes free again, unless a later request holds it. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
if tonumber(redis.call('GET', KEYS[2]) or '0') > 0 then redis.call('DECR', KEYS[2]) end`

/** A crawl request to be counted. */
export interface CountedCrawl {
  id: string
  /** The domain whose files are crawled; `manager:` before it for the files that a manager serves. */
  target: string
  user: string
}

/** Limits crawl requests: one per target and window, and a number an hour per user across all targets. */
export class CrawlQuota {
  readonly #reserve: Script<
    [refusedBy: 'target' | 'user' | 'allowed', remaining: number, ms: number, pending?: string]
  >
  readonly #release: Script<unknown>
  readonly #users: RedisWindowCounter
  readonly #config: Config

  constructor(redis: Redis | undefined, config: Config) {
    this.#reserve = defineScript(redis, 'reserveCrawl', 2, RESERVE_SCRIPT)
    this.#release = defineScript(redis, 'releaseCrawl', 2, RELEASE)
    this.#users = new RedisWindowCounter(redis, UNAVAILABLE)
    this.#config = config
  }

  /**
   * Counts a request, or refuses it with 429, naming the request that its target waits for if the caller `maySee` it;
   * 503 while Redis is unavailable. Returns the headers of the user's limit.
   */
  async reserve(
    request: CountedCrawl,
    maySee: (id: string) => boolean = () => false,
  ): Promise<LimitHeaders> {
    const { crawlRequestDomainSeconds: targetSeconds, crawlRequestsPerHour: max } =
      this.#config.LIMITS
    const [refusedBy, remaining, ms, pending] = await this.#run(
      this.#reserve,
      request,
      targetSeconds,
      max,
      HOUR_S,
    )
    const resetSeconds = toRetrySeconds(ms)
    const ofUser = buildLimitHeaders({ max, windowSeconds: HOUR_S, remaining, resetSeconds })
    if (refusedBy === 'allowed') return ofUser
    if (refusedBy === 'user') {
      const text = `no more than ${max} crawl requests an hour`
      refuse('rate_limited', text, { retry_after: resetSeconds }, ofUser)
    }
    const text = `a crawl of ${request.target.replace(/^manager:/, '')} was requested a moment ago`
    const ofTarget = { max: 1, windowSeconds: targetSeconds, remaining: 0, resetSeconds }
    const known = pending !== undefined && maySee(pending) && { crawl_request_id: pending }
    const fields = { retry_after: resetSeconds, ...known }
    return refuse('rate_limited', text, fields, buildLimitHeaders(ofTarget))
  }

  /** Reads the window of a user and counts nothing. Throws while Redis is down. */
  readUse(user: string): Promise<WindowUse> {
    return this.#users.read(toUserKey(user))
  }

  /** Takes a request back that was not admitted. */
  async release(request: CountedCrawl): Promise<void> {
    await this.#run(this.#release, request).catch(() => undefined)
  }

  async #run<Answer>(
    script: Script<Answer>,
    { id, target, user }: CountedCrawl,
    ...more: number[]
  ): Promise<Answer> {
    try {
      return await script(`${REDIS_PREFIX}:crawl:target:${target}`, toUserKey(user), id, ...more)
    } catch {
      return refuse('crawl_queue_unavailable', UNAVAILABLE, { retry_after: RETRY_AFTER_S })
    }
  }
}

function toUserKey(user: string): string {
  return `${REDIS_PREFIX}:crawl:user:${user}`
}
