import { defineScript, type Redis, type Script } from '../../jobs/redis.ts'
import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { isAdmin } from '../../pipeline/core/roles.ts'
import { limitHeaders } from './crawl.ts'

const HOUR_S = 3_600
const MINUTE_S = 60
const RETRY_AFTER_S = 5

/** Takes a place in the window. Returns whether there was one, how many are left, and when the window opens again. */
export const RESERVE_IN_WINDOW = `
local most = tonumber(ARGV[1])
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= most then return {0, 0, math.max(redis.call('PTTL', KEYS[1]), 1)} end
used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return {1, most - used, redis.call('PTTL', KEYS[1])}`

const RELEASE = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end`

/** The caller as it is counted. */
interface Tester {
  id: string
  org_id?: string
  person?: object
  roles: readonly string[]
}

/** Kinds of requests that make an agent work: whole storyboards, and single calls. */
export type TestKind = 'run' | 'step'

/** Limits how often a user has agents tested. A failed request costs nothing, and admins are not limited. */
export class StoryboardQuota {
  readonly #reserve: Script<[taken: 0 | 1, left: number, ms: number]>
  readonly #release: Script<unknown>
  readonly #places: Record<TestKind, number>

  constructor(redis: Redis | undefined, { LIMITS }: Config) {
    this.#reserve = defineScript(redis, 'reserveStoryboard', 1, RESERVE_IN_WINDOW)
    this.#release = defineScript(redis, 'releaseStoryboard', 1, RELEASE)
    this.#places = { run: LIMITS.storyboardRunsPerHour, step: LIMITS.storyboardStepsPerHour }
  }

  /**
   * Runs the work within the caller's limits, and returns the headers that describe it. Refuses with
   * 429 beyond the limits, with 503 while Redis is away.
   */
  async spend<Result>(
    kind: TestKind,
    tester: Tester,
    work: () => Promise<Result>,
  ): Promise<{ result: Result; headers: Readonly<Record<string, string>> }> {
    const { headers, release } = await this.reserve(kind, tester)
    try {
      return { result: await work(), headers }
    } catch (error) {
      await release()
      throw error
    }
  }

  /** Takes a place for work that goes on after the answer; `release` gives it back. Refuses as `spend` does. */
  async reserve(
    kind: TestKind,
    tester: Tester,
  ): Promise<{ headers: Readonly<Record<string, string>>; release(): Promise<unknown> }> {
    if (isAdmin(tester.roles)) return { headers: {}, release: async () => undefined }
    const key = `registry:storyboards:${kind}:${toUser(tester)}`
    const headers = await this.#take(kind, key)
    return { headers, release: () => this.#release(key).catch(() => undefined) }
  }

  /** Refuses with 429 where an agent was refreshed less than a minute ago, by whoever it was. */
  async lockAgent(agentUrl: string): Promise<void> {
    const [taken, , ms] = await this.#count(`registry:storyboards:agent:${agentUrl}`, 1, MINUTE_S)
    if (taken === 1) return
    const retry_after = Math.max(1, Math.ceil(ms / SECOND))
    refuse('rate_limited', 'the agent was refreshed less than a minute ago', { retry_after })
  }

  /** Takes a place in a window; refuses with 503 while Redis is away. */
  #count(
    key: string,
    most: number,
    seconds: number,
  ): Promise<[taken: 0 | 1, left: number, ms: number]> {
    return this.#reserve(key, most, seconds).catch(() =>
      refuse('unavailable', 'agents cannot be tested at the moment; try again', {
        retry_after: RETRY_AFTER_S,
      }),
    )
  }

  async #take(kind: TestKind, key: string): Promise<Readonly<Record<string, string>>> {
    const most = this.#places[kind]
    const [taken, left, ms] = await this.#count(key, most, HOUR_S)
    const seconds = Math.max(1, Math.ceil(ms / SECOND))
    const headers = limitHeaders(most, HOUR_S, left, seconds)
    if (taken === 1) return headers
    const text = `no more than ${most} tests of agents an hour`
    return refuse('rate_limited', text, { retry_after: seconds }, headers)
  }
}

/**
 * Converts a caller to the user that is limited. A key can create keys, so all keys of an organization are
 * one user.
 */
function toUser({ person, org_id, id }: Tester): string {
  return person === undefined ? (org_id ?? id) : id
}
