import { Queue } from 'bullmq'
import type { Clock, Instant } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Log } from '../pipeline/core/log.ts'
import { ownCopy } from '../pipeline/core/own-copy.ts'
import { type Due, type DueTarget, eachDue, reasons } from '../pipeline/index/frontier.ts'
import type { Sequencer } from '../pipeline/index/sequencer.ts'
import { type Source, sourceKey } from '../pipeline/model/observation.ts'
import { Ahead } from './ahead.ts'
import { type CrawlMessage, type ObservationsMessage, unpackObservations } from './messages.ts'
import { queues, REDIS_PREFIX } from './queues.ts'
import type { Redis } from './redis.ts'

/** Requested files that are handed out at a time, however full the queue is. */
const URGENT = 100

/** States of a job that somebody will still work on. */
const PENDING = ['waiting', 'active', 'delayed', 'prioritized'] as const

/** Files that were handed out together. */
interface Batch {
  /** By their keys. */
  sources: readonly string[]
  /** A person asked for them: they wait for nobody. */
  isUrgent: boolean
  /** Since when its job is done or lost; what it found may still be on its way. */
  endedAt: Instant | undefined
}

/**
 * Hands out what is due, a bounded number of batches at a time: when nobody takes them, or nobody
 * commits what they brought, nothing more is handed out and Redis does not grow.
 */
export class Pump {
  readonly #sequencer: Sequencer
  readonly #queue: Queue<CrawlMessage>
  readonly #config: Config
  readonly #clock: Clock
  readonly #batches = new Map<string, Batch>()
  readonly #inFlight = new Map<string, Batch>()
  readonly #ahead = new Ahead(room => this.#due('others', room + this.#inFlight.size))
  readonly #log: Log
  readonly #connection: Redis
  #isRecovered = false

  constructor(sequencer: Sequencer, connection: Redis, config: Config, clock: Clock, log: Log) {
    this.#sequencer = sequencer
    this.#config = config
    this.#clock = clock
    this.#log = log
    this.#connection = connection
    this.#queue = new Queue('crawl', { connection, prefix: REDIS_PREFIX })
    this.#queue.on('error', () => undefined)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Whether a person waits for a file that was handed out. */
  get isUrgent(): boolean {
    for (const batch of this.#batches.values()) {
      if (batch.isUrgent && this.#isAwaited(batch)) return true
    }
    return false
  }

  /** An answer for these files is committed: they may be handed out again when they are due. */
  landed(sources: readonly Source[]): void {
    for (const source of sources) this.#inFlight.delete(sourceKey(source))
    this.#ahead.forget(sources)
  }

  /** Fills the crawl queue up to its bound; returns how many files were handed out. */
  async turn(): Promise<number> {
    const { crawlBatchesInFlight, crawlBatchSources } = this.#config.LIMITS
    if (!this.#isRecovered) await this.#recover()
    const pending = new Set(await this.#queue.getRanges([...PENDING], 0, -1))
    this.#forgetLost(pending)
    const room = Math.max(0, crawlBatchesInFlight - pending.size) * crawlBatchSources
    const targets = await this.#next(room)
    await this.#handOut(targets.filter(isUrgent), { lifo: true })
    await this.#handOut(
      targets.filter(target => !isUrgent(target)),
      { lifo: false },
    )
    return targets.length
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #handOut(targets: readonly DueTarget[], options: { lifo: boolean }): Promise<void> {
    const size = this.#config.LIMITS.crawlBatchSources
    for (let start = 0; start < targets.length; start += size) {
      const batch = targets.slice(start, start + size).map(({ priority: _, ...target }) => target)
      // Noted before anybody can answer.
      const handed = this.#note(batch, options.lifo)
      const adding = this.#queue.add(
        'batch',
        { targets: batch },
        { ...queues.crawl.options, ...options },
      )
      const job = await adding.catch(error => {
        this.#release(handed)
        throw error
      })
      this.#keep(job.id!, handed)
    }
    if (targets.length > 0) this.#log.debug({ targets: targets.length }, 'handed out')
  }

  #note(targets: readonly Source[], isUrgent: boolean, endedAt?: Instant): Batch {
    const sources = targets.map(target => ownCopy(sourceKey(target)))
    const batch = { sources, isUrgent, endedAt }
    for (const source of sources) this.#inFlight.set(source, batch)
    return batch
  }

  /** A Redis that lost its memory counts jobs from the beginning: what had the number is gone. */
  #keep(id: string, batch: Batch): void {
    const earlier = this.#batches.get(id)
    if (earlier) this.#release(earlier)
    this.#batches.set(id, batch)
  }

  /** Files of the batch that nobody has answered for. */
  #leftOf(batch: Batch): string[] {
    return batch.sources.filter(source => this.#inFlight.get(source) === batch)
  }

  /** Whether any is left: asked of many batches again and again, and mostly told by the first file. */
  #isAwaited(batch: Batch): boolean {
    return batch.sources.some(source => this.#inFlight.get(source) === batch)
  }

  #release(batch: Batch): void {
    const left = this.#leftOf(batch)
    for (const source of left) this.#inFlight.delete(source)
    if (left.length > 0) this.#ahead.expire()
  }

  /**
   * What an earlier process handed out is still in the queues: with crawlers first, then on its way
   * back, so that nothing moves past unseen.
   */
  async #recover(): Promise<void> {
    for (const job of await this.#queue.getJobs([...PENDING])) {
      if (!job) continue
      const isUrgent = job.opts.lifo === true
      this.#keep(job.id!, this.#note(job.data.targets, isUrgent))
    }
    const results = new Queue<ObservationsMessage>('observations', {
      connection: this.#connection,
      prefix: REDIS_PREFIX,
    })
    results.on('error', () => undefined)
    for (const job of await results.getJobs([...PENDING])) {
      const seen = job ? await unpackObservations(job.data, this.#connection).catch(() => []) : []
      this.#keep(`observations ${job?.id}`, this.#note(seen, true, this.#clock.now()))
    }
    await results.close()
    this.#isRecovered = true
  }

  /** Files of a batch whose job ended long ago without an answer for them may be handed out again. */
  #forgetLost(pending: ReadonlySet<string>): void {
    const now = this.#clock.now()
    for (const [id, batch] of this.#batches) {
      if (pending.has(id)) continue
      batch.endedAt ??= now
      const isLost = now - batch.endedAt > this.#config.LIMITS.crawlLostMs
      if (!isLost && this.#isAwaited(batch)) continue
      const files = this.#leftOf(batch).length
      if (files > 0) this.#log.warn({ files }, 'files were handed out in vain')
      this.#release(batch)
      this.#batches.delete(id)
    }
  }

  /** What is due and not handed out yet; what a person asked for comes also when there is no room. */
  async #next(room: number): Promise<DueTarget[]> {
    const handedOut = [...this.#batches.values()].filter(({ isUrgent }) => isUrgent)
    const urgent = await this.#due(
      'requested',
      handedOut.reduce((files, { sources }) => files + sources.length, URGENT),
    )
    return [
      ...[...urgent].filter(target => this.#isFree(target)).slice(0, URGENT),
      ...(room > 0 ? await this.#ahead.take(room, target => this.#isFree(target)) : []),
    ]
  }

  #due(which: Due, limit: number): Promise<Iterable<DueTarget>> {
    return this.#sequencer.quietly(() =>
      eachDue(this.#sequencer.index, this.#clock.now(), limit, { which }),
    )
  }

  /** One that waits in the long queue is handed out again when a person asks for it. */
  #isFree(target: DueTarget): boolean {
    const flight = this.#inFlight.get(sourceKey(target))
    return flight === undefined || (isUrgent(target) && !flight.isUrgent)
  }
}

function isUrgent({ priority }: DueTarget): boolean {
  return priority === reasons.requested
}
