import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Redis } from '../redis.ts'
import { type RedisInfo, RedisInfoReader } from './redis-info.ts'
import { findRedisProblems, isNearlyFull, REDIS_SILENT } from './redis-requirements.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Time for which a reading is valid. */
const VALID_MS = SECOND
/** Time for which a health check waits for it. */
const PROBLEMS_MS = SECOND / 2

/**
 * Tells whether Redis has memory left for what may be refused, such as sign-ins and counters of strangers. The
 * rest is reserved for what may not: jobs, submissions and their answers.
 */
export class RedisRoom {
  readonly #redis: Redis | undefined
  readonly #reader: RedisInfoReader
  #info: RedisInfo | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(redis: Redis | undefined) {
    this.#redis = redis
    this.#reader = new RedisInfoReader(redis)
  }

  /** Tells whether there is room; true where that is unknown, since Redis itself refuses when it is full. */
  async hasRoom(): Promise<boolean> {
    await this.#refresh()
    return this.#info === undefined || !isNearlyFull(this.#info)
  }

  /** Finds that Redis does not answer, or the requirements that it does not meet; nothing where none is used. */
  async findProblems(config: Pick<Config, 'BACKUP_TO'>): Promise<string[]> {
    if (this.#redis === undefined) return []
    await waitAtMost(this.#refresh(), PROBLEMS_MS)
    const isAnswering = this.#redis.status === 'ready' && this.#reading === undefined
    if (!isAnswering || this.#info === undefined) return [REDIS_SILENT]
    return findRedisProblems(this.#info, config)
  }

  async #refresh(): Promise<void> {
    if (this.#redis?.status !== 'ready' || performance.now() - this.#readAt < VALID_MS) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #read(): Promise<void> {
    this.#info = await this.#reader.read().catch(() => undefined)
    this.#readAt = performance.now()
  }
}
