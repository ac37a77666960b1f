import { DAY, HOUR, type Instant } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { type LimitStore, limitHeaders } from './quota.ts'

const RETRY_AFTER_S = 5

/**
 * Takes a place in the last hour of a user, and in the last hour and day of an organization, or in
 * none: which one is full if any, how many places the user has left, and the milliseconds until there
 * is one again. Who has a place already takes no other.
 */
const RESERVE = `
local now, id, hour, day = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - hour)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - day)
local function free(key, window, most)
  local used = redis.call('ZRANGEBYSCORE', key, '(' .. (now - window), '+inf', 'WITHSCORES')
  local over = #used / 2 - most
  if over < 0 then return 0 end
  return tonumber(used[2 * over + 2] or now) + window - now
end
local left = tonumber(ARGV[5]) - redis.call('ZCARD', KEYS[1])
if redis.call('ZSCORE', KEYS[1], id) then return {'held', left, hour} end
local full = {
  {'user', free(KEYS[1], hour, tonumber(ARGV[5]))},
  {'hour', free(KEYS[2], hour, tonumber(ARGV[6]))},
  {'day', free(KEYS[2], day, tonumber(ARGV[7]))},
}
for _, window in ipairs(full) do
  if window[2] > 0 then return {window[1], 0, math.ceil(window[2])} end
end
for i, window in ipairs({hour, day}) do
  redis.call('ZADD', KEYS[i], now, id)
  redis.call('PEXPIRE', KEYS[i], window)
end
return {'taken', left - 1, hour}`

const RELEASE = `
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])`

/** A save that is about to be made: its submission, who makes it, and for which organization. */
export interface SavePlace {
  id: string
  user: string
  organization: string | undefined
}

type Headers = Readonly<Record<string, string>>

/**
 * How often entries may be edited. The windows slide: a place is free again an hour, or a day, after
 * it was taken. One that was taken under the same id counts once.
 */
export class SaveQuota {
  readonly #store: LimitStore | undefined
  readonly #config: Config

  constructor(store: LimitStore | undefined, config: Config) {
    this.#store = store
    this.#config = config
  }

  /** Takes a place or refuses with 429; 503 while nobody can count. `isNew`: it can be given back. */
  async reserve(place: SavePlace, now: Instant): Promise<{ isNew: boolean; headers: Headers }> {
    const { savesPerHour, savesPerOrganizationHour, savesPerOrganizationDay } = this.#config.LIMITS
    const most = [savesPerHour, savesPerOrganizationHour, savesPerOrganizationDay]
    const asked = [now, place.id, HOUR, DAY, ...most]
    const [came, left, ms] = (await this.#run(RESERVE, place, asked)) as [Came, number, number]
    const seconds = Math.max(1, Math.ceil(ms / 1_000))
    if (came === 'taken' || came === 'held') {
      const headers = limitHeaders(savesPerHour, HOUR / 1_000, Math.max(0, left), seconds)
      return { isNew: came === 'taken', headers }
    }
    const texts = {
      user: `no more than ${savesPerHour} saves an hour`,
      hour: `no more than ${savesPerOrganizationHour} saves an hour by one organization`,
      day: `no more than ${savesPerOrganizationDay} saves a day by one organization`,
    }
    const windows = { user: savesPerHour, hour: savesPerOrganizationHour, day: most[2]! }
    const windowS = (came === 'day' ? DAY : HOUR) / 1_000
    const headers = limitHeaders(windows[came], windowS, 0, seconds)
    return refuse('rate_limited', texts[came], { retry_after: seconds }, headers)
  }

  /** Gives back the place of a save that was refused. */
  async release(place: SavePlace): Promise<void> {
    await this.#run(RELEASE, place, [place.id]).catch(() => undefined)
  }

  async #run(script: string, place: SavePlace, values: (string | number)[]): Promise<unknown> {
    const { user, organization = `of ${user}` } = place
    const keys = [`registry:saves:user:${user}`, `registry:saves:org:${organization}`]
    try {
      if (this.#store?.status !== 'ready') throw new Error('no connection to Redis')
      return await this.#store.eval(script, keys.length, ...keys, ...values)
    } catch {
      return refuse('unavailable', 'saves cannot be taken now; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}

type Came = 'taken' | 'held' | 'user' | 'hour' | 'day'
