import type { RateLimitOptions, RateLimitPluginOptions } from '@fastify/rate-limit'
import { MINUTE } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import { PublicError } from '../pipeline/core/errors.ts'
import type { LimitStore } from './quota.ts'

/** Limits per address; the bulk resolves share the specification's numbers, not one count. */
const limits = {
  bulk: (config: Config) => ({ max: config.LIMITS.bulkResolvePerMinute, timeWindow: MINUTE }),
} satisfies Record<string, (config: Config) => RateLimitOptions>

export type LimitName = keyof typeof limits

export function limitOf(name: LimitName, config: Config): RateLimitOptions {
  return limits[name](config)
}

/**
 * Counted in Redis, by address (IPv6 by its /64), for all processes together. A read is never
 * refused because Redis is away: then nothing is counted.
 */
export function rateLimiting(redis: LimitStore | undefined): RateLimitPluginOptions {
  return {
    global: false,
    enableDraftSpec: true,
    skipOnError: true,
    nameSpace: 'registry:limit:',
    ...(redis && { redis, allowList: () => redis.status !== 'ready' }),
    errorResponseBuilder: (_request, { ttl }) =>
      new PublicError('rate_limited', 'too many requests', {
        retry_after: Math.max(1, Math.ceil(ttl / 1000)),
      }),
  }
}
