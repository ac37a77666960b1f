import { defineScript, type Redis, type Script } from '../../jobs/redis.ts'
import { HOUR, SECOND } from '../../pipeline/core/clock.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

/** Counts one use of every key in its hour, or of none if one of them has reached its maximum. */
const COUNT_SCRIPT = `
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[i + 1]) then return 0 end
end
for _, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('EXPIRE', key, ARGV[1]) end
end
return 1`

/** A kind of use, and how often it may happen in an hour. */
export type HourlyLimit = readonly [counted: string, max: number]

/**
 * Counts uses in an hour, for all processes together. A use is counted for two keys or for neither, so the limit
 * of one bounds how many counters of the other there can be.
 */
export class HourlyCounter {
  readonly #count: Script<0 | 1>

  constructor(redis: Redis) {
    this.#count = defineScript(redis, 'countInHour', 2, COUNT_SCRIPT)
  }

  /** Counts a use; false if it is beyond one of the limits. */
  async count([one, oneMax]: HourlyLimit, [other, otherMax]: HourlyLimit): Promise<boolean> {
    const keys = [IDENTITY_KEYS + one, IDENTITY_KEYS + other]
    return (await this.#count(...keys, HOUR / SECOND, oneMax, otherMax)) === 1
  }
}
