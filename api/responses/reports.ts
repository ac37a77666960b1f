import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { RedisRoom } from '../../jobs/api-client/redis-room.ts'
import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../../jobs/redis.ts'
import { refuse } from '../../pipeline/core/errors.ts'

const [zip, unzip] = [promisify(gzip), promisify(gunzip)]
const RETRY_AFTER_S = 5
/** Stores a report, and deletes expired ones, then the oldest until all fit into ARGV[5] bytes. */
const KEEP_SCRIPT = `
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

/** Bounds of the stored reports: their age, and their total size when packed, in bytes. */
interface ReportBounds {
  keepMs: number
  maxBytes: number
}

/**
 * Stores packed reports in Redis, which anybody with their id can read for some time. Their total size is
 * limited: the oldest are dropped first.
 */
export class Reports {
  readonly #redis: Redis | undefined
  readonly #room: RedisRoom
  readonly #keep: Script<unknown>
  readonly #bounds: ReportBounds
  /** Prefix of the keys; a report is stored under the prefix and its id. */
  readonly #prefix: string
  /** Keys that list all of them, by age and by size. */
  readonly #index: readonly [string, string]

  constructor(
    redis: Redis | undefined,
    room: RedisRoom,
    name: 'report' | 'draft',
    bounds: ReportBounds,
  ) {
    this.#redis = redis
    this.#room = room
    this.#keep = defineScript(redis, 'keepReport', 2, KEEP_SCRIPT)
    this.#bounds = bounds
    this.#prefix = `${REDIS_PREFIX}:${name}:`
    this.#index = [`${REDIS_PREFIX}:${name}s:age`, `${REDIS_PREFIX}:${name}s:size`]
  }

  /** Stores a report and returns its id; undefined while it cannot be stored. */
  async keep(kind: string, report: object, now: number): Promise<string | undefined> {
    if (!(await this.#room.hasRoom())) return undefined
    const { keepMs, maxBytes } = this.#bounds
    const id = randomUUID()
    const packed = (await zip(JSON.stringify(report))).toString('base64')
    try {
      const name = `${kind}:${id}`
      await this.#keep(...this.#index, name, packed, now, keepMs, maxBytes, this.#prefix)
      return id
    } catch {
      return undefined
    }
  }

  /** Finds a report as JSON; undefined when there is none. 503 while Redis is unavailable. */
  async find(kind: string, id: string): Promise<Buffer | undefined> {
    try {
      if (this.#redis === undefined) throw new Error('no connection to Redis')
      const packed = await this.#redis.get(`${this.#prefix}${kind}:${id}`)
      return packed !== null ? await unzip(Buffer.from(packed, 'base64')) : undefined
    } catch {
      return refuse('unavailable', 'reports are not available at the moment; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}
