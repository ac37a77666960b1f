import type { Config } from '../pipeline/core/config.ts'
import { refuse } from '../pipeline/core/errors.ts'

/** What is needed of a connection to Redis, one that fails at once while Redis is away. */
export interface LimitStore {
  readonly status: string
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>
}

const HOUR_S = 3_600
const RETRY_AFTER_S = 5

/** Answers which window is shut and for how many seconds, or takes a place in both. */
const RESERVE = `
local held = redis.call('TTL', KEYS[1])
if held > 0 then return {'domain', held} end
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
if used >= tonumber(ARGV[3]) then return {'user', redis.call('TTL', KEYS[2])} end
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
if redis.call('INCR', KEYS[2]) == 1 then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
return {'taken', 0}`

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
if tonumber(redis.call('GET', KEYS[2]) or '0') > 0 then redis.call('DECR', KEYS[2]) end`

export interface CrawlPlace {
  id: string
  domain: string
  user: string
}

/** How often a crawl may be asked for: once a domain in a window, and so many an hour by a user. */
export class CrawlQuota {
  readonly #store: LimitStore | undefined
  readonly #config: Config

  constructor(store: LimitStore | undefined, config: Config) {
    this.#store = store
    this.#config = config
  }

  /** Takes a place in both windows, or refuses with 429; 503 while nobody can count. */
  async reserve(request: CrawlPlace): Promise<void> {
    const { crawlRequestDomainSeconds, crawlRequestsPerHour } = this.#config.LIMITS
    const [window, seconds] = (await this.#run(
      RESERVE,
      request,
      crawlRequestDomainSeconds,
      crawlRequestsPerHour,
      HOUR_S,
    )) as ['domain' | 'user' | 'taken', number]
    if (window === 'taken') return
    const text =
      window === 'domain'
        ? `a crawl of ${request.domain} was asked for a moment ago`
        : `no more than ${crawlRequestsPerHour} crawl requests an hour`
    refuse('rate_limited', text, { retry_after: Math.max(1, seconds) })
  }

  /** Gives the place back of a request that was not admitted. */
  async release(request: CrawlPlace): Promise<void> {
    await this.#run(RELEASE, request).catch(() => undefined)
  }

  async #run(
    script: string,
    { id, domain, user }: CrawlPlace,
    ...more: number[]
  ): Promise<unknown> {
    const keys = [`registry:crawl:domain:${domain}`, `registry:crawl:user:${user}`]
    try {
      if (this.#store?.status !== 'ready') throw new Error('no connection to Redis')
      return await this.#store.eval(script, keys.length, ...keys, id, ...more)
    } catch {
      return refuse('unavailable', 'crawl requests cannot be taken now; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}
