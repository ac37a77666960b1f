import { Queue } from 'bullmq'
import type { Clock } from '../pipeline/core/clock.ts'
import { MINUTE } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Log } from '../pipeline/core/log.ts'
import { type DueTarget, dueTargets, reasons } from '../pipeline/index/frontier.ts'
import type { Sequencer } from '../pipeline/index/sequencer.ts'
import { type Source, sourceKey } from '../pipeline/model/observation.ts'
import type { CrawlMessage } from './messages.ts'
import { queues, REDIS_PREFIX } from './queues.ts'
import type { Redis } from './redis.ts'

/** A file whose answer is this late is handed out again: its crawler is gone. */
const LOST_AFTER_MS = 15 * MINUTE

/** Requested files that are handed out at a time, however full the queue is. */
const URGENT = 100

/**
 * Hands out what is due, a bounded number of batches at a time: when nobody takes them, or nobody
 * commits what they brought, nothing more is handed out and Redis does not grow.
 */
export class Pump {
  readonly #sequencer: Sequencer
  readonly #queue: Queue<CrawlMessage>
  readonly #config: Config
  readonly #clock: Clock
  readonly #inFlight = new Map<string, number>()
  readonly #log: Log

  constructor(sequencer: Sequencer, connection: Redis, config: Config, clock: Clock, log: Log) {
    this.#sequencer = sequencer
    this.#config = config
    this.#clock = clock
    this.#log = log
    this.#queue = new Queue('crawl', { connection, prefix: REDIS_PREFIX })
    this.#queue.on('error', () => undefined)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** An answer for these files is committed: they may be handed out again when they are due. */
  landed(sources: readonly Source[]): void {
    for (const source of sources) this.#inFlight.delete(sourceKey(source))
  }

  /** Fills the crawl queue up to its bound; returns how many files were handed out. */
  async turn(): Promise<number> {
    const { crawlBatchesInFlight, crawlBatchSources } = this.#config.LIMITS
    const counts = await this.#queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized')
    const waiting = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const room = Math.max(0, crawlBatchesInFlight - waiting) * crawlBatchSources
    const targets = await this.#next(room)
    const isUrgent = ({ priority }: DueTarget) => priority === reasons.requested
    await this.#handOut(targets.filter(isUrgent), { lifo: true })
    await this.#handOut(
      targets.filter(target => !isUrgent(target)),
      {},
    )
    return targets.length
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #handOut(targets: readonly DueTarget[], options: { lifo?: boolean }): Promise<void> {
    const size = this.#config.LIMITS.crawlBatchSources
    for (let start = 0; start < targets.length; start += size) {
      const batch = targets.slice(start, start + size).map(({ priority: _, ...target }) => target)
      await this.#queue.add('batch', { targets: batch }, { ...queues.crawl.options, ...options })
    }
    if (targets.length > 0) this.#log.debug({ targets: targets.length }, 'handed out')
  }

  /** What is due and not handed out yet; what a person asked for comes also when there is no room. */
  async #next(room: number): Promise<DueTarget[]> {
    const now = this.#clock.now()
    for (const [key, since] of this.#inFlight) {
      if (now - since > LOST_AFTER_MS) this.#inFlight.delete(key)
    }
    const due = await this.#sequencer.quietly(() =>
      dueTargets(this.#sequencer.index, now, Math.max(room, URGENT) + this.#inFlight.size),
    )
    const free = due.filter(target => !this.#inFlight.has(sourceKey(target)))
    const urgent = free.filter(({ priority }) => priority === reasons.requested).slice(0, URGENT)
    const targets = [
      ...urgent,
      ...free.filter(({ priority }) => priority !== reasons.requested).slice(0, room),
    ]
    for (const target of targets) this.#inFlight.set(sourceKey(target), now)
    return targets
  }
}
