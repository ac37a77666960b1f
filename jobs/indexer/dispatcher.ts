import { Queue } from 'bullmq'
import type { Clock, Instant } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import type { Source } from '../../pipeline/model/observation.ts'
import {
  type Due,
  type DueTarget,
  findNextDue,
  iterateDue,
} from '../../pipeline/writer/crawl/due-files.ts'
import { reasons } from '../../pipeline/writer/crawl/newcomer.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import {
  type CrawlMessage,
  type ObservationsMessage,
  unpackObservations,
} from '../crawl-messages.ts'
import { queueOptions, queues } from '../queues.ts'
import type { Redis } from '../redis.ts'
import { BatchesInFlight } from './batches-in-flight.ts'
import { type DueRead, Prefetch } from './prefetch.ts'

/** Requested files that are enqueued in one round even when the queue is full. */
const URGENT_FILES_MAX = 100

/** States of a job that is not finished. */
const PENDING = ['waiting', 'active', 'delayed', 'prioritized'] as const

/** Longest time without looking for due files. */
const PAUSE_MAX_MS = 60_000

/** Nothing is due until the crawl state changes or this time comes. */
interface Pause {
  version: number
  until: Instant
}

/**
 * Enqueues due files as crawl jobs, a limited number at a time: when crawlers or commits fall
 * behind, nothing more is enqueued and Redis does not grow.
 */
export class Dispatcher {
  readonly #sequencer: Sequencer
  readonly #queue: Queue<CrawlMessage>
  readonly #config: Config
  readonly #clock: Clock
  readonly #batches: BatchesInFlight
  readonly #prefetch = new Prefetch(capacity =>
    this.#readDue('others', capacity + this.#batches.files),
  )
  readonly #log: Log
  readonly #connection: Redis
  #isRecovered = false
  #pause: Pause | undefined

  constructor(sequencer: Sequencer, connection: Redis, config: Config, clock: Clock, log: Log) {
    this.#sequencer = sequencer
    this.#config = config
    this.#clock = clock
    this.#log = log
    this.#connection = connection
    this.#queue = new Queue('crawl', { connection, ...queueOptions })
    this.#queue.on('error', () => undefined)
    this.#batches = new BatchesInFlight({
      clock,
      log,
      lostMs: config.LIMITS.crawlLostMs,
      onReleased: () => this.#prefetch.expire(),
    })
  }

  get inFlight(): number {
    return this.#batches.files
  }

  /** Tells whether a file that a person requested is being crawled. */
  get isUrgent(): boolean {
    return this.#batches.isUrgent
  }

  /** Releases files whose observations are committed: they may be enqueued again when they are due. */
  confirm(sources: readonly Source[]): void {
    this.#batches.confirm(sources)
    this.#prefetch.remove(sources)
  }

  /** Fills the crawl queue up to its limit; returns how many files were enqueued. */
  async dispatch(): Promise<number> {
    const { crawlBatchesInFlight, crawlBatchSources } = this.#config.LIMITS
    if (!this.#isRecovered) await this.#recover()
    if (this.#isPaused) return 0
    const version = this.#dueVersion
    const pending = new Set(await this.#queue.getRanges([...PENDING], 0, -1))
    this.#batches.dropLost(pending)
    const capacity = Math.max(0, crawlBatchesInFlight - pending.size) * crawlBatchSources
    const targets = await this.#takeNext(capacity)
    await this.#enqueueBatch(targets.filter(isUrgent), { lifo: true })
    await this.#enqueueBatch(
      targets.filter(target => !isUrgent(target)),
      { lifo: false },
    )
    const isIdle = targets.length === 0 && this.#batches.size === 0 && capacity > 0
    this.#pause = isIdle ? { version, until: await this.#nextDue() } : undefined
    return targets.length
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  /**
   * Tells whether nothing is being crawled or due, and neither a commit nor time has changed that.
   */
  get #isPaused(): boolean {
    if (this.#pause === undefined) return false
    return this.#pause.version === this.#dueVersion && this.#clock.now() < this.#pause.until
  }

  /** Returns a version that changes whenever any crawl state was written. */
  get #dueVersion(): number {
    return this.#sequencer.index.written.version(['crawl_state'])
  }

  async #nextDue(): Promise<Instant> {
    const latest = this.#clock.now() + PAUSE_MAX_MS
    const next = await this.#sequencer.quietly(() => findNextDue(this.#sequencer.index))
    return Math.min(latest, next ?? latest)
  }

  async #enqueueBatch(targets: readonly DueTarget[], options: { lifo: boolean }): Promise<void> {
    const size = this.#config.LIMITS.crawlBatchSources
    for (let start = 0; start < targets.length; start += size) {
      const batch = targets.slice(start, start + size).map(({ priority: _, ...target }) => target)
      // Tracked before any result can arrive.
      const tracked = this.#batches.track(batch, options.lifo)
      const adding = this.#queue.add(
        'batch',
        { targets: batch },
        { ...queues.crawl.options, ...options },
      )
      const job = await adding.catch(error => {
        this.#batches.release(tracked)
        throw error
      })
      this.#batches.register(requireValue(job.id, 'id of the job'), tracked)
    }
    if (targets.length > 0) this.#log.debug({ targets: targets.length }, 'dispatched')
  }

  /**
   * Recovers the batches of an earlier process: first from the crawl queue, then from the observations, so
   * that a batch that moves from one to the other meanwhile is not missed.
   */
  async #recover(): Promise<void> {
    for (const job of await this.#queue.getJobs([...PENDING])) {
      if (!job) continue
      const isUrgent = job.opts.lifo === true
      this.#batches.register(
        requireValue(job.id, 'id of the job'),
        this.#batches.track(job.data.targets, isUrgent),
      )
    }
    const results = new Queue<ObservationsMessage>('observations', {
      connection: this.#connection,
      ...queueOptions,
    })
    results.on('error', () => undefined)
    for (const job of await results.getJobs([...PENDING])) {
      const observations = job
        ? await unpackObservations(job.data, this.#connection).catch(() => [])
        : []
      const tracked = this.#batches.track(observations, true, this.#clock.now())
      this.#batches.register(`observations ${job?.id}`, tracked)
    }
    await results.close()
    this.#isRecovered = true
  }

  /** Takes the next due files; requested ones even when the queue is full. */
  async #takeNext(capacity: number): Promise<DueTarget[]> {
    const isFree = (target: DueTarget) => this.#batches.isFree(target, isUrgent(target))
    const limit = this.#batches.urgentFiles + URGENT_FILES_MAX
    const urgent = await this.#readDue('requested', limit)
    return [
      ...[...urgent.files].filter(isFree).slice(0, URGENT_FILES_MAX),
      ...(capacity > 0 ? await this.#prefetch.take(capacity, isFree) : []),
    ]
  }

  /** Reads due files; the measured time is that of the query alone, without its wait for the writer. */
  #readDue(which: Due, limit: number): Promise<DueRead> {
    return this.#sequencer.quietly(async () => {
      const started = performance.now()
      const files = await iterateDue(this.#sequencer.index, this.#clock.now(), limit, { which })
      return { files, tookMs: performance.now() - started }
    })
  }
}

function isUrgent({ priority }: DueTarget): boolean {
  return priority === reasons.requested
}
