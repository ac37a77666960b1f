import type { Log } from '../../pipeline/core/log.ts'
import {
  computeTokenMs,
  createLocalBuckets,
  RESERVATION_MAX_MS,
  type TokenBuckets,
} from '../../pipeline/fetch/token-buckets.ts'
import { defineScript, REDIS_PREFIX, type Redis } from '../redis.ts'

/**
 * A bucket is one key, the time in µs at which it will be full again (the generic cell rate algorithm); `each` is
 * the time in which it gains a token. Both scripts use the clock of Redis, which all processes share.
 */
const TIME_LUA = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local each = tonumber(ARGV[1])`

/**
 * Takes as many of `count` tokens as there are, after charging `overspent` ones. Returns their number, and the µs
 * until there is another token if some are missing.
 */
const TAKE_SCRIPT = `${TIME_LUA}
local burst, count, overspent = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + overspent * each
local taken = math.min(count, math.max(0, math.floor((now + burst * each - full) / each)))
local after = full + taken * each
if after > now then
  redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
end
if taken == count then return {taken, 0} end
return {taken, math.ceil(full + (taken + 1 - burst) * each - now)}`

/** Reserves tokens for later: returns the µs until they may be used; ARGV[3] where that is too long, and nothing is reserved. */
const RESERVE_SCRIPT = `${TIME_LUA}
local from = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'),
  tonumber(redis.call('GET', KEYS[2]) or '0'), now)
if from - now > tonumber(ARGV[3]) then return tonumber(ARGV[3]) end
local after = from + tonumber(ARGV[2]) * each
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
return from - now`

/**
 * Keeps the buckets of all crawlers in Redis. While Redis is unavailable each crawler counts by itself,
 * so the rate then applies to each crawler and none of them stops.
 */
export function createSharedBuckets(redis: Redis, log: Log): TokenBuckets {
  const local = createLocalBuckets()
  const take = defineScript<[taken: number, waitUs: number]>(redis, 'takeTokens', 1, TAKE_SCRIPT)
  const reserve = defineScript<number>(redis, 'reserveTokens', 2, RESERVE_SCRIPT)
  const toKey = (kind: string, bucket: string) => `${REDIS_PREFIX}:${kind}:${bucket}`
  const tryShared = async <Result>(
    shared: () => Promise<Result>,
    fallback: () => Promise<Result>,
  ) => {
    try {
      return await shared()
    } catch (error) {
      log.debug({ error }, 'Redis is unavailable: this process counts its requests alone')
      return fallback()
    }
  }
  return {
    take: (bucket, request, rate) =>
      tryShared(
        async () => {
          const values = [
            computeTokenMs(rate) * 1_000,
            rate.burst,
            request.count,
            request.overspent,
          ]
          const [granted, waitUs] = await take(toKey('requests', bucket), ...values)
          return { granted, waitMs: waitUs / 1_000 }
        },
        () => local.take(bucket, request, rate),
      ),
    reserve: (bucket, count, rate) =>
      tryShared(
        async () => {
          const keys = [toKey('promised', bucket), toKey('requests', bucket)]
          const values = [computeTokenMs(rate) * 1_000, count, RESERVATION_MAX_MS * 1_000]
          return (await reserve(...keys, ...values)) / 1_000
        },
        () => local.reserve(bucket, count, rate),
      ),
  }
}
