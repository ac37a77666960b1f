import type { RateLimitOptions, RateLimitPluginOptions } from '@fastify/rate-limit'
import type { RedisRoom } from '../../jobs/api-client/redis-room.ts'
import { REDIS_PREFIX, type Redis } from '../../jobs/redis.ts'
import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { toCaller } from './caller.ts'
import { buildLimitHeaders, toRetrySeconds } from './limit-headers.ts'

interface Limit {
  max: number
  timeWindow: number
}

/**
 * Limits by name. Operations with the same limit have the same maximum, but count their requests separately.
 */
const limits = {
  bulk: (config: Config) => ({ max: config.LIMITS.bulkResolvePerMinute, timeWindow: MINUTE }),
} satisfies Record<string, (config: Config) => Limit>

export type LimitName = keyof typeof limits

export function buildLimit(name: LimitName, config: Config): RateLimitOptions {
  const { max, timeWindow } = limits[name](config)
  return buildAddressLimit(max, timeWindow)
}

/** Builds a limit of `max` requests of an address in `timeWindow` milliseconds. */
export function buildAddressLimit(max: number, timeWindow: number): RateLimitOptions {
  return {
    max,
    timeWindow,
    errorResponseBuilder: (_request, { ttl }) => {
      const resetSeconds = toRetrySeconds(ttl)
      const windowSeconds = timeWindow / SECOND
      const window =
        timeWindow === MINUTE ? 'a minute' : `in ${countThings(windowSeconds, 'second')}`
      const text = `no more than ${max} of these requests ${window} from one address`
      const headers = buildLimitHeaders({ max, windowSeconds, remaining: 0, resetSeconds })
      const fields = { retry_after: resetSeconds }
      return new PublicError('rate_limited', text, fields, headers)
    },
  }
}

/** Builds the headers that describe the limit of an operation; the counters are added per request. */
export function buildLimitPolicy(name: LimitName, config: Config): Record<string, string> {
  const { max, timeWindow } = limits[name](config)
  return { 'ratelimit-policy': `${max};w=${timeWindow / SECOND}` }
}

/**
 * Builds the options of the rate limit plugin: limits per address (IPv6 by its /64), counted in Redis for all processes together. While Redis is
 * away, or its memory is reserved for writes, nothing is counted, so that reads are never refused because of it.
 */
export function buildRateLimitOptions(
  redis: Redis | undefined,
  room: RedisRoom,
): RateLimitPluginOptions {
  return {
    global: false,
    enableDraftSpec: true,
    skipOnError: true,
    nameSpace: `${REDIS_PREFIX}:limit:`,
    keyGenerator: ({ ip }) => toCaller(ip),
    ...(redis && {
      redis,
      allowList: async () => redis.status !== 'ready' || !(await room.hasRoom()),
    }),
  }
}
