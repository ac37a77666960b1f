import { defineScript, type Redis, type Script } from '../../jobs/redis.ts'
import { DAY, HOUR, type Instant, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { limitHeaders } from './crawl.ts'

const RETRY_AFTER_S = 5

/**
 * Takes a place in the last hour of a user, and in the last hour and day of an organization, or in none.
 * Returns the result and one window: of full windows the one that stays full longest, else the one with the
 * fewest places left; its remaining places, and the milliseconds until there is another one. A submission
 * that has a place takes no second one.
 */
const RESERVE = `
local now, id = tonumber(ARGV[1]), ARGV[2]
local hour, day = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - hour)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - day)
local function look(name, key, window, most)
  local since = '(' .. (now - window)
  local left = tonumber(most) - redis.call('ZCOUNT', key, since, '+inf')
  local at = string.format('%d', math.max(-left, 0))
  local oldest = redis.call('ZRANGEBYSCORE', key, since, '+inf', 'WITHSCORES', 'LIMIT', at, '1')[2]
  return {name = name, left = left, ms = math.ceil(tonumber(oldest or now) + window - now)}
end
local windows = {
  look('user', KEYS[1], hour, ARGV[5]),
  look('hour', KEYS[2], hour, ARGV[6]),
  look('day', KEYS[2], day, ARGV[7]),
}
table.sort(windows, function(a, b)
  local x, y = math.max(a.left, 0), math.max(b.left, 0)
  if x ~= y then return x < y end
  return a.ms > b.ms
end)
local first = windows[1]
local held = redis.call('ZSCORE', KEYS[1], id)
if held or first.left <= 0 then
  return {held and 'held' or 'full', first.name, math.max(first.left, 0), first.ms}
end
for i, window in ipairs({hour, day}) do
  redis.call('ZADD', KEYS[i], now, id)
  redis.call('PEXPIRE', KEYS[i], window)
end
return {'taken', first.name, first.left - 1, first.ms}`

/** A save about to be made: its submission, its author and the organization. */
export interface SavePlace {
  id: string
  user: string
  organization: string | undefined
}

type Window = 'user' | 'hour' | 'day'

/**
 * Limits edits of entries, whatever their result: a refused save costs the writer work too. Windows slide:
 * a place is free again an hour, or a day, after it was taken. Two saves with one id count once.
 */
export class SaveQuota {
  readonly #reserve: Script<Taken>
  readonly #windows: Record<Window, { most: number; ms: number; text: string }>

  constructor(redis: Redis | undefined, { LIMITS }: Config) {
    const { savesPerHour, savesPerOrganizationHour, savesPerOrganizationDay } = LIMITS
    this.#reserve = defineScript(redis, 'reserveSave', 2, RESERVE)
    this.#windows = {
      user: { most: savesPerHour, ms: HOUR, text: 'an hour' },
      hour: { most: savesPerOrganizationHour, ms: HOUR, text: 'an hour by one organization' },
      day: { most: savesPerOrganizationDay, ms: DAY, text: 'a day by one organization' },
    }
  }

  /**
   * Takes a place or refuses with 429; 503 while Redis is unavailable. Returns the headers of the narrowest
   * window.
   */
  async reserve(place: SavePlace, now: Instant): Promise<Readonly<Record<string, string>>> {
    const [came, name, left, ms] = await this.#take(place, now)
    const { most, ms: length, text } = this.#windows[name]
    const seconds = Math.max(1, Math.ceil(ms / SECOND))
    const headers = limitHeaders(most, length / SECOND, left, seconds)
    if (came !== 'full') return headers
    return refuse(
      'rate_limited',
      `no more than ${most} saves ${text}`,
      { retry_after: seconds },
      headers,
    )
  }

  async #take({ id, user, organization = `of ${user}` }: SavePlace, now: Instant): Promise<Taken> {
    const keys = [`registry:saves:user:${user}`, `registry:saves:org:${organization}`]
    const { user: byUser, hour, day } = this.#windows
    const values = [now, id, HOUR, DAY, byUser.most, hour.most, day.most]
    try {
      return await this.#reserve(...keys, ...values)
    } catch {
      return refuse('unavailable', 'saves cannot be accepted at the moment; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}

type Taken = [came: 'taken' | 'held' | 'full', window: Window, left: number, ms: number]
