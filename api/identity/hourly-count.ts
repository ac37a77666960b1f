import type { Redis } from '../../jobs/redis.ts'
import { HOUR, SECOND } from '../../pipeline/core/clock.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

/** Counts one use of a key in the current hour; false beyond the limit. */
export async function countInHour(redis: Redis, counted: string, max: number): Promise<boolean> {
  const key = IDENTITY_KEYS + counted
  const answers = await redis
    .multi()
    .incr(key)
    .expire(key, HOUR / SECOND, 'NX')
    .exec()
  return Number(answers?.[0]?.[1]) <= max
}
