import { REDIS_PREFIX, type Redis } from '../../jobs/redis.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { isAdmin } from '../../pipeline/core/roles.ts'
import type { LimitHeaders } from './limit-headers.ts'
import { toLimitedUser } from './limited-user.ts'
import { RedisWindowCounter, type WindowUse } from './redis-window-counter.ts'

const HOUR_S = 3_600

/** The caller who has agents tested. */
interface Tester {
  id: string
  org_id?: string
  person?: object
  roles: readonly string[]
}

/** Kinds of requests that cause calls to an agent: runs of whole storyboards, and single calls. */
export type TestKind = 'run' | 'step'

/** Limits how often a user has agents tested. A failed request costs nothing, and admins are not limited. */
export class StoryboardQuota {
  readonly #counter: RedisWindowCounter
  readonly #maxPerHour: Record<TestKind, number>
  readonly #agentSeconds: number

  constructor(redis: Redis | undefined, { LIMITS }: Config) {
    this.#counter = new RedisWindowCounter(
      redis,
      'agents cannot be tested at the moment; try again',
    )
    this.#agentSeconds = LIMITS.agentRunSeconds
    this.#maxPerHour = { run: LIMITS.storyboardRunsPerHour, step: LIMITS.storyboardStepsPerHour }
  }

  /**
   * Runs the work within the caller's limits, and returns the headers that describe it. Refuses with
   * 429 beyond the limits, with 503 while Redis is down.
   */
  async spend<Result>(
    kind: TestKind,
    tester: Tester,
    work: () => Promise<Result>,
  ): Promise<{ result: Result; headers: LimitHeaders }> {
    const { headers, release } = await this.reserve(kind, tester)
    try {
      return { result: await work(), headers }
    } catch (error) {
      await release()
      throw error
    }
  }

  /** Counts work that goes on after the answer; `release` takes it back. Refuses as `spend` does. */
  async reserve(
    kind: TestKind,
    tester: Tester,
  ): Promise<{ headers: LimitHeaders; release(): Promise<void> }> {
    if (isAdmin(tester.roles)) return { headers: {}, release: async () => undefined }
    const key = toKey(kind, tester)
    const max = this.#maxPerHour[kind]
    const headers = await this.#counter.countOrRefuse(key, {
      max,
      windowSeconds: HOUR_S,
      refusal: `no more than ${max} tests of agents an hour`,
    })
    return { headers, release: () => this.#counter.uncount(key) }
  }

  /** Reads the caller's window and counts nothing; undefined for admins, who are not limited. */
  readUse(kind: TestKind, tester: Tester): Promise<WindowUse> | undefined {
    return isAdmin(tester.roles) ? undefined : this.#counter.read(toKey(kind, tester))
  }

  /** Refuses with 429 if anybody refreshed the agent a moment ago. */
  async lockAgent(agentUrl: string): Promise<void> {
    const limit = { max: 1, windowSeconds: this.#agentSeconds }
    const key = `${REDIS_PREFIX}:storyboards:agent:${agentUrl}`
    const { isAllowed, resetSeconds: retry_after } = await this.#counter.count(key, limit)
    if (isAllowed) return
    refuse('rate_limited', 'this agent was refreshed a moment ago', { retry_after })
  }
}

function toKey(kind: TestKind, tester: Tester): string {
  return `${REDIS_PREFIX}:storyboards:${kind}:${toLimitedUser(tester)}`
}
