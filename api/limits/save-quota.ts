import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../../jobs/redis.ts'
import { DAY, HOUR, type Instant, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { buildLimitHeaders, type LimitHeaders, toRetrySeconds } from './limit-headers.ts'
import type { WindowUse } from './redis-window-counter.ts'

/** Limits of requests that count as a save. */
export const saveLimits = [
  'savesPerHour',
  'savesPerOrganizationHour',
  'savesPerOrganizationDay',
] as const

const RETRY_AFTER_S = 5

/**
 * Counts a save in the last hour of its user, and in the last hour and day of its organization, or in none. A
 * submission that was counted is not counted again. Returns the result and the narrowest window: of full
 * windows the one that stays full longest, else the one with the fewest saves left; how many saves it has
 * left, and the milliseconds until there is another one.
 */
const RESERVE_SCRIPT = `
local now, id = tonumber(ARGV[1]), ARGV[2]
local hour, day = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - hour)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - day)
local function measure(name, key, window, max)
  local since = '(' .. (now - window)
  local left = tonumber(max) - redis.call('ZCOUNT', key, since, '+inf')
  local at = string.format('%d', math.max(-left, 0))
  local oldest = redis.call('ZRANGEBYSCORE', key, since, '+inf', 'WITHSCORES', 'LIMIT', at, '1')[2]
  return {name = name, left = left, ms = math.ceil(tonumber(oldest or now) + window - now)}
end
local windows = {
  measure('user', KEYS[1], hour, ARGV[5]),
  measure('hour', KEYS[2], hour, ARGV[6]),
  measure('day', KEYS[2], day, ARGV[7]),
}
table.sort(windows, function(a, b)
  local x, y = math.max(a.left, 0), math.max(b.left, 0)
  if x ~= y then return x < y end
  return a.ms > b.ms
end)
local narrowest = windows[1]
local known = redis.call('ZSCORE', KEYS[1], id)
if known or narrowest.left <= 0 then
  return {known and 'known' or 'full', narrowest.name, math.max(narrowest.left, 0), narrowest.ms}
end
for i, window in ipairs({hour, day}) do
  redis.call('ZADD', KEYS[i], now, id)
  redis.call('PEXPIRE', KEYS[i], window)
end
return {'counted', narrowest.name, narrowest.left - 1, narrowest.ms}`

/** Returns the saves in a sliding window, and the milliseconds until the oldest of them ends. */
const READ_SCRIPT = `
local since = '(' .. (tonumber(ARGV[1]) - tonumber(ARGV[2]))
local oldest = redis.call('ZRANGEBYSCORE', KEYS[1], since, '+inf', 'WITHSCORES', 'LIMIT', '0', '1')[2]
local left = oldest and math.ceil(tonumber(oldest) + ARGV[2] - ARGV[1]) or 0
return {redis.call('ZCOUNT', KEYS[1], since, '+inf'), left}`

/** A save to be counted. */
export interface CountedSave {
  /** Id of the submission. */
  id: string
  user: string
  /** The user's organization; a user without one is counted as an organization of its own. */
  organization: string | undefined
}

/** Windows that a save is counted in: an hour of its user, an hour and a day of its organization. */
export type SaveWindow = 'user' | 'hour' | 'day'

/**
 * Limits edits of entries, whatever their result: a refused save costs the writer work too. Windows slide:
 * a save counts for an hour, or a day, after it was made. Two saves with one id count once.
 */
export class SaveQuota {
  readonly #reserve: Script<Counted>
  readonly #read: Script<[used: number, ms: number]>
  readonly #windows: Record<SaveWindow, { max: number; ms: number; text: string }>

  constructor(redis: Redis | undefined, { LIMITS }: Config) {
    const { savesPerHour, savesPerOrganizationHour, savesPerOrganizationDay } = LIMITS
    this.#reserve = defineScript(redis, 'reserveSave', 2, RESERVE_SCRIPT)
    this.#read = defineScript(redis, 'readSaves', 1, READ_SCRIPT)
    this.#windows = {
      user: { max: savesPerHour, ms: HOUR, text: 'an hour' },
      hour: { max: savesPerOrganizationHour, ms: HOUR, text: 'an hour by one organization' },
      day: { max: savesPerOrganizationDay, ms: DAY, text: 'a day by one organization' },
    }
  }

  /**
   * Counts a save or refuses it with 429; 503 while Redis is unavailable. Returns the headers of the narrowest
   * window.
   */
  async reserve(save: CountedSave, now: Instant): Promise<LimitHeaders> {
    const [result, window, remaining, ms] = await this.#count(save, now)
    const { max, ms: windowMs, text } = this.#windows[window]
    const resetSeconds = toRetrySeconds(ms)
    const windowSeconds = windowMs / SECOND
    const headers = buildLimitHeaders({ max, windowSeconds, remaining, resetSeconds })
    if (result !== 'full') return headers
    const refusal = `no more than ${max} saves ${text}`
    return refuse('rate_limited', refusal, { retry_after: resetSeconds }, headers)
  }

  /** Reads one of the windows of a user and its organization, and counts nothing. Throws while Redis is down. */
  async readUse(
    window: SaveWindow,
    caller: Omit<CountedSave, 'id'>,
    now: Instant,
  ): Promise<WindowUse> {
    const [ofUser, ofOrganization] = toKeys(caller)
    const key = window === 'user' ? ofUser : ofOrganization
    const [used, ms] = await this.#read(key, now, this.#windows[window].ms)
    return { used, resetMs: used > 0 ? ms : undefined }
  }

  async #count({ id, ...caller }: CountedSave, now: Instant): Promise<Counted> {
    const keys = toKeys(caller)
    const { user: byUser, hour, day } = this.#windows
    const values = [now, id, HOUR, DAY, byUser.max, hour.max, day.max]
    try {
      return await this.#reserve(...keys, ...values)
    } catch {
      return refuse('unavailable', 'saves cannot be accepted at the moment; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}

function toKeys({ user, organization = `of ${user}` }: Omit<CountedSave, 'id'>) {
  return [
    `${REDIS_PREFIX}:saves:user:${user}`,
    `${REDIS_PREFIX}:saves:org:${organization}`,
  ] as const
}

type Counted = [
  result: 'counted' | 'known' | 'full',
  window: SaveWindow,
  remaining: number,
  ms: number,
]
