import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { RedisRoom } from '../../jobs/api-client/redis-room.ts'
import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../../jobs/redis.ts'
import type { Instant } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { hashCaller } from '../limits/caller.ts'

const [zip, unzip] = [promisify(gzip), promisify(gunzip)]
const RETRY_AFTER_S = 5
/** Bytes that the lists of reports take for each, so that many tiny ones are limited too. */
const OVERHEAD_BYTES = 400
/**
 * Stores the report ARGV[1] of a caller, and deletes expired ones. Then, until all fit into ARGV[5] bytes, the
 * oldest of the caller with most bytes, as CallerShares does. Returns whether the report is stored.
 */
const KEEP_SCRIPT = `
local id, caller = ARGV[1], ARGV[7]
local now, keep_ms, max_bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local ages, sizes, callers, shares = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local size = #ARGV[2] + tonumber(ARGV[8])
local function ages_of(name) return ages .. ':' .. name end
local function forget(gone)
  local bytes = tonumber(redis.call('HGET', sizes, gone) or '0')
  local owner = redis.call('HGET', callers, gone) or ''
  redis.call('DEL', ARGV[6] .. gone)
  redis.call('ZREM', ages, gone)
  redis.call('ZREM', ages_of(owner), gone)
  redis.call('HDEL', sizes, gone)
  redis.call('HDEL', callers, gone)
  redis.call('HINCRBY', sizes, 'total', -bytes)
  if tonumber(redis.call('ZINCRBY', shares, -bytes, owner)) <= 0 then redis.call('ZREM', shares, owner) end
end
local function find_oldest(list)
  for _, oldest in ipairs(redis.call('ZRANGE', list, 0, 1)) do
    if oldest ~= id then return oldest end
  end
end
local function find_oldest_of_largest()
  for _, largest in ipairs(redis.call('ZREVRANGE', shares, 0, 1)) do
    local oldest = find_oldest(ages_of(largest))
    if oldest then return oldest end
  end
  return find_oldest(ages)
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', ages, '-inf', now - keep_ms)) do forget(old) end
if size > max_bytes then return 0 end
redis.call('SET', ARGV[6] .. id, ARGV[2], 'PX', keep_ms)
redis.call('ZADD', ages, now, id)
redis.call('ZADD', ages_of(caller), now, id)
redis.call('HSET', sizes, id, size)
redis.call('HSET', callers, id, caller)
redis.call('ZINCRBY', shares, size, caller)
local total = redis.call('HINCRBY', sizes, 'total', size)
while total > max_bytes do
  local gone = find_oldest_of_largest()
  if not gone then break end
  forget(gone)
  total = tonumber(redis.call('HGET', sizes, 'total'))
end
for _, list in ipairs({ages, ages_of(caller), sizes, callers, shares}) do
  redis.call('PEXPIRE', list, keep_ms)
end
return 1`

/** Bounds of the stored reports: their age, and their total size when packed, in bytes. */
interface ReportBounds {
  keepMs: number
  maxBytes: number
}

/** The caller for whom a report is stored, and when. */
interface Keeping {
  /** Key of the caller (operation/answering.ts); only its hash is stored. */
  caller: string
  now: Instant
}

/**
 * Stores packed reports in Redis, which anybody with their id can read for some time. Their total size is
 * limited, and shared by the callers: the oldest of the one with most are dropped first.
 */
export class Reports {
  readonly #redis: Redis | undefined
  readonly #room: RedisRoom
  readonly #keep: Script<0 | 1>
  readonly #bounds: ReportBounds
  /** Prefix of the keys; a report is stored under the prefix and its id. */
  readonly #prefix: string
  /** Keys that list all of them: by age, their sizes, their callers, and the bytes of each caller. */
  readonly #lists: readonly string[]

  constructor(
    redis: Redis | undefined,
    room: RedisRoom,
    name: 'report' | 'draft',
    bounds: ReportBounds,
  ) {
    this.#redis = redis
    this.#room = room
    this.#keep = defineScript(redis, 'keepReport', 4, KEEP_SCRIPT)
    this.#bounds = bounds
    this.#prefix = `${REDIS_PREFIX}:${name}:`
    this.#lists = ['age', 'size', 'caller', 'share'].map(list => `${REDIS_PREFIX}:${name}s:${list}`)
  }

  /** Stores a report and returns its id; undefined while it cannot be stored. */
  async keep(kind: string, report: object, { caller, now }: Keeping): Promise<string | undefined> {
    if (!(await this.#room.hasRoom())) return undefined
    const { keepMs, maxBytes } = this.#bounds
    const id = randomUUID()
    const packed = (await zip(JSON.stringify(report))).toString('base64')
    try {
      const named = [`${kind}:${id}`, packed, now, keepMs, maxBytes, this.#prefix]
      const stored = await this.#keep(...this.#lists, ...named, hashCaller(caller), OVERHEAD_BYTES)
      return stored === 1 ? id : undefined
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
