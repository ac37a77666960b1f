import type { RateLimitOptions, RateLimitPluginOptions } from '@fastify/rate-limit'
import type { Redis } from '../../jobs/redis.ts'
import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { toCaller } from './caller.ts'
import { limitHeaders } from './crawl.ts'

interface Limit {
  max: number
  timeWindow: number
}

/** Limits per address; the bulk resolves have the same limit, each with its own count. */
const limits = {
  bulk: (config: Config) => ({ max: config.LIMITS.bulkResolvePerMinute, timeWindow: MINUTE }),
} satisfies Record<string, (config: Config) => Limit>

export type LimitName = keyof typeof limits

export function buildLimit(name: LimitName, config: Config): RateLimitOptions {
  const { max, timeWindow } = limits[name](config)
  return buildAddressLimit(max, timeWindow)
}

/** Builds a limit of `max` requests of an address in `timeWindow` ms. */
export function buildAddressLimit(max: number, timeWindow: number): RateLimitOptions {
  return {
    max,
    timeWindow,
    errorResponseBuilder: (_request, { ttl }) => {
      const seconds = Math.max(1, Math.ceil(ttl / SECOND))
      const headers = limitHeaders(max, timeWindow / SECOND, 0, seconds)
      return new PublicError('rate_limited', 'too many requests', { retry_after: seconds }, headers)
    },
  }
}

/** Builds the headers that describe the limit of an operation; the counters are added per request. */
export function limitPolicy(name: LimitName, config: Config): Record<string, string> {
  const { max, timeWindow } = limits[name](config)
  return { 'ratelimit-policy': `${max};w=${timeWindow / SECOND}` }
}

/**
 * Creates limits per address (IPv6 by its /64), counted in Redis for all processes together. While Redis is
 * away nothing is counted, so that reads are never refused because of it.
 */
export function rateLimiting(redis: Redis | undefined): RateLimitPluginOptions {
  return {
    global: false,
    enableDraftSpec: true,
    skipOnError: true,
    nameSpace: 'registry:limit:',
    keyGenerator: ({ ip }) => toCaller(ip),
    ...(redis && { redis, allowList: () => redis.status !== 'ready' }),
  }
}
