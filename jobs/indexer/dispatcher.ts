import { Queue } from 'bullmq'
import type { Clock, Instant } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { detach } from '../../pipeline/core/strings.ts'
import { type Source, toSourceKey } from '../../pipeline/model/observation.ts'
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
import { queues, REDIS_PREFIX } from '../queues.ts'
import type { Redis } from '../redis.ts'
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

/** Files that were enqueued together. */
interface Batch {
  /** Sources by their keys. */
  sources: readonly string[]
  /** True for files that a caller requested: they skip the queue. */
  isUrgent: boolean
  /** Time at which its job was done or lost; its observations may still be on their way. */
  endedAt: Instant | undefined
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
  readonly #batches = new Map<string, Batch>()
  readonly #inFlight = new Map<string, Batch>()
  readonly #prefetch = new Prefetch(capacity =>
    this.#readDue('others', capacity + this.#inFlight.size),
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
    this.#queue = new Queue('crawl', { connection, prefix: REDIS_PREFIX })
    this.#queue.on('error', () => undefined)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Tells whether a file that a person requested is being crawled. */
  get isUrgent(): boolean {
    for (const batch of this.#batches.values()) {
      if (batch.isUrgent && this.#isAwaited(batch)) return true
    }
    return false
  }

  /**
   * Notes that observations of these files are committed: they may be enqueued again when they are
   * due.
   */
  confirm(sources: readonly Source[]): void {
    for (const source of sources) this.#inFlight.delete(toSourceKey(source))
    this.#prefetch.remove(sources)
  }

  /** Fills the crawl queue up to its limit; returns how many files were enqueued. */
  async dispatch(): Promise<number> {
    const { crawlBatchesInFlight, crawlBatchSources } = this.#config.LIMITS
    if (!this.#isRecovered) await this.#recover()
    if (this.#isPaused) return 0
    const version = this.#dueVersion
    const pending = new Set(await this.#queue.getRanges([...PENDING], 0, -1))
    this.#dropLost(pending)
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
      const tracked = this.#track(batch, options.lifo)
      const adding = this.#queue.add(
        'batch',
        { targets: batch },
        { ...queues.crawl.options, ...options },
      )
      const job = await adding.catch(error => {
        this.#release(tracked)
        throw error
      })
      this.#register(job.id!, tracked)
    }
    if (targets.length > 0) this.#log.debug({ targets: targets.length }, 'dispatched')
  }

  /** Marks the files as being crawled. */
  #track(targets: readonly Source[], isUrgent: boolean, endedAt?: Instant): Batch {
    const sources = targets.map(target => detach(toSourceKey(target)))
    const batch = { sources, isUrgent, endedAt }
    for (const source of sources) this.#inFlight.set(source, batch)
    return batch
  }

  /** Replaces a batch with the same id: a Redis that lost its data counts jobs from 1 again. */
  #register(id: string, batch: Batch): void {
    const previous = this.#batches.get(id)
    if (previous) this.#release(previous)
    this.#batches.set(id, batch)
  }

  /** Lists files of the batch without a result. */
  #listUnconfirmed(batch: Batch): string[] {
    return batch.sources.filter(source => this.#inFlight.get(source) === batch)
  }

  /**
   * Tells whether observations of the batch are still missing. Called often; the first file mostly
   * decides.
   */
  #isAwaited(batch: Batch): boolean {
    return batch.sources.some(source => this.#inFlight.get(source) === batch)
  }

  /** Forgets a batch; its files without a result may be enqueued again. */
  #release(batch: Batch): void {
    const unconfirmed = this.#listUnconfirmed(batch)
    for (const source of unconfirmed) this.#inFlight.delete(source)
    if (unconfirmed.length > 0) this.#prefetch.expire()
  }

  /**
   * Recovers the batches of an earlier process: first from the crawl queue, then from the
   * observations, so that none slips through between the two.
   */
  async #recover(): Promise<void> {
    for (const job of await this.#queue.getJobs([...PENDING])) {
      if (!job) continue
      const isUrgent = job.opts.lifo === true
      this.#register(job.id!, this.#track(job.data.targets, isUrgent))
    }
    const results = new Queue<ObservationsMessage>('observations', {
      connection: this.#connection,
      prefix: REDIS_PREFIX,
    })
    results.on('error', () => undefined)
    for (const job of await results.getJobs([...PENDING])) {
      const observations = job
        ? await unpackObservations(job.data, this.#connection).catch(() => [])
        : []
      this.#register(`observations ${job?.id}`, this.#track(observations, true, this.#clock.now()))
    }
    await results.close()
    this.#isRecovered = true
  }

  /**
   * Drops batches whose job ended long ago without observations; their files may be enqueued again.
   */
  #dropLost(pending: ReadonlySet<string>): void {
    const now = this.#clock.now()
    for (const [id, batch] of this.#batches) {
      if (pending.has(id)) continue
      batch.endedAt ??= now
      const isLost = now - batch.endedAt > this.#config.LIMITS.crawlLostMs
      if (!isLost && this.#isAwaited(batch)) continue
      const files = this.#listUnconfirmed(batch).length
      if (files > 0) this.#log.warn({ files }, 'dispatched files got no result')
      this.#release(batch)
      this.#batches.delete(id)
    }
  }

  /** Takes the next due files; requested ones even when the queue is full. */
  async #takeNext(capacity: number): Promise<DueTarget[]> {
    const urgentBatches = [...this.#batches.values()].filter(({ isUrgent }) => isUrgent)
    const urgent = await this.#readDue(
      'requested',
      urgentBatches.reduce((files, { sources }) => files + sources.length, URGENT_FILES_MAX),
    )
    return [
      ...[...urgent.files].filter(target => this.#isFree(target)).slice(0, URGENT_FILES_MAX),
      ...(capacity > 0 ? await this.#prefetch.take(capacity, target => this.#isFree(target)) : []),
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

  /**
   * Tells whether a file may be enqueued; one in a bulk batch may be enqueued again when a person
   * requests it.
   */
  #isFree(target: DueTarget): boolean {
    const batch = this.#inFlight.get(toSourceKey(target))
    return batch === undefined || (isUrgent(target) && !batch.isUrgent)
  }
}

function isUrgent({ priority }: DueTarget): boolean {
  return priority === reasons.requested
}
