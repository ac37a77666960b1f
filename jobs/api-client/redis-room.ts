import { SECOND } from '../../pipeline/core/clock.ts'
import type { Redis } from '../redis.ts'
import { RedisInfoReader } from './redis-info.ts'

/** Share of the memory of Redis that may be used before what can be refused is refused. */
const USED_SHARE_MAX = 0.75
/** Time for which a reading is valid. */
const VALID_MS = SECOND

/**
 * Tells whether Redis has memory left for what may be refused, such as sign-ins and counters of strangers. The
 * rest is reserved for what may not: jobs, submissions and their answers.
 */
export class RedisRoom {
  readonly #redis: Redis | undefined
  readonly #reader: RedisInfoReader
  #hasRoom = true
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(redis: Redis | undefined) {
    this.#redis = redis
    this.#reader = new RedisInfoReader(redis)
  }

  /** Tells whether there is room; true where that is unknown, since Redis itself refuses when it is full. */
  async hasRoom(): Promise<boolean> {
    if (this.#redis?.status === 'ready' && performance.now() - this.#readAt >= VALID_MS) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    return this.#hasRoom
  }

  async #read(): Promise<void> {
    const info = await this.#reader.read().catch(() => undefined)
    this.#readAt = performance.now()
    if (info === undefined) return
    const { usedBytes, maxBytes } = info
    this.#hasRoom = !maxBytes || usedBytes <= maxBytes * USED_SHARE_MAX
  }
}
