import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../../jobs/redis.ts'
import { DAY } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'

const [zip, unzip] = [promisify(gzip), promisify(gunzip)]
const RETRY_AFTER_S = 5
/**
 * Prefix of the keys: `report:` and the id hold a report; the other two keys list all of them by
 * age and by size.
 */
const PREFIX = `${REDIS_PREFIX}:report:`
const INDEX = [`${REDIS_PREFIX}:reports:age`, `${REDIS_PREFIX}:reports:size`]

/** Stores a report, and deletes expired ones, then the oldest until all fit into ARGV[5] bytes. */
const KEEP = `
local now, keep_ms, max_bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local function forget(id)
  redis.call('DEL', ARGV[6] .. id)
  redis.call('ZREM', KEYS[1], id)
  redis.call('HINCRBY', KEYS[2], 'total', -tonumber(redis.call('HGET', KEYS[2], id) or '0'))
  redis.call('HDEL', KEYS[2], id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - keep_ms)) do forget(id) end
redis.call('SET', ARGV[6] .. ARGV[1], ARGV[2], 'PX', keep_ms)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], #ARGV[2])
local total = redis.call('HINCRBY', KEYS[2], 'total', #ARGV[2])
while total > max_bytes do
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not oldest then break end
  forget(oldest)
  total = tonumber(redis.call('HGET', KEYS[2], 'total'))
end`

/**
 * Stores packed reports in Redis, which anybody with their id can read for some days. Their total size is
 * limited: the oldest are dropped first.
 */
export class Reports {
  readonly #redis: Redis | undefined
  readonly #keep: Script<unknown>
  readonly #config: Config

  constructor(redis: Redis | undefined, config: Config) {
    this.#redis = redis
    this.#keep = defineScript(redis, 'keepReport', 2, KEEP)
    this.#config = config
  }

  /** Stores a report and returns its id; undefined while it cannot be stored. */
  async keep(kind: string, report: object, now: number): Promise<string | undefined> {
    const { checkReportDays: days, checkReportsBytes: maxBytes } = this.#config.LIMITS
    const id = randomUUID()
    const packed = (await zip(JSON.stringify(report))).toString('base64')
    try {
      const name = `${kind}:${id}`
      await this.#keep(...INDEX, name, packed, now, days * DAY, maxBytes, PREFIX)
      return id
    } catch {
      return undefined
    }
  }

  /** Finds a report as JSON; undefined when there is none. 503 while Redis is unavailable. */
  async find(kind: string, id: string): Promise<Buffer | undefined> {
    try {
      if (this.#redis === undefined) throw new Error('no connection to Redis')
      const packed = await this.#redis.get(`${PREFIX}${kind}:${id}`)
      return packed !== null ? await unzip(Buffer.from(packed, 'base64')) : undefined
    } catch {
      return refuse('unavailable', 'reports are not available at the moment; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}
