import type { Clock, Instant } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { detach } from '../../pipeline/core/strings.ts'
import { type Source, toSourceKey } from '../../pipeline/model/observation.ts'

interface BatchesInFlightParts {
  clock: Clock
  log: Log
  /** Milliseconds for which the observations of a batch are waited for after the end of its job. */
  lostMs: number
  /** Called when files without a result may be enqueued again. */
  onReleased: () => void
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

/** Knows the files that are being crawled, in the batches in which they were enqueued. */
export class BatchesInFlight {
  readonly #parts: BatchesInFlightParts
  readonly #batches = new Map<string, Batch>()
  /** The batch of each file whose observation is not committed. */
  readonly #inFlight = new Map<string, Batch>()

  constructor(parts: BatchesInFlightParts) {
    this.#parts = parts
  }

  /** Returns how many files are being crawled. */
  get files(): number {
    return this.#inFlight.size
  }

  get size(): number {
    return this.#batches.size
  }

  /** Tells whether a file that a person requested is being crawled. */
  get isUrgent(): boolean {
    for (const batch of this.#batches.values()) {
      if (batch.isUrgent && this.#isAwaited(batch)) return true
    }
    return false
  }

  /** Returns how many files the urgent batches have, with those that are committed. */
  get urgentFiles(): number {
    const urgent = [...this.#batches.values()].filter(({ isUrgent }) => isUrgent)
    return urgent.reduce((files, { sources }) => files + sources.length, 0)
  }

  /**
   * Tells whether a file may be enqueued; one in a bulk batch may be enqueued again when a person
   * requests it.
   */
  isFree(source: Source, isUrgent: boolean): boolean {
    const batch = this.#inFlight.get(toSourceKey(source))
    return batch === undefined || (isUrgent && !batch.isUrgent)
  }

  /** Marks the files as being crawled. */
  track(targets: readonly Source[], isUrgent: boolean, endedAt?: Instant): Batch {
    const sources = targets.map(target => detach(toSourceKey(target)))
    const batch = { sources, isUrgent, endedAt }
    for (const source of sources) this.#inFlight.set(source, batch)
    return batch
  }

  /** Replaces a batch with the same id: a Redis that lost its data counts jobs from 1 again. */
  register(id: string, batch: Batch): void {
    const previous = this.#batches.get(id)
    if (previous) this.release(previous)
    this.#batches.set(id, batch)
  }

  /** Notes that observations of these files are committed. */
  confirm(sources: readonly Source[]): void {
    for (const source of sources) this.#inFlight.delete(toSourceKey(source))
  }

  /** Forgets a batch; its files without a result may be enqueued again. */
  release(batch: Batch): void {
    const unconfirmed = this.#listUnconfirmed(batch)
    for (const source of unconfirmed) this.#inFlight.delete(source)
    if (unconfirmed.length > 0) this.#parts.onReleased()
  }

  /**
   * Drops batches whose job ended long ago without observations; their files may be enqueued again.
   */
  dropLost(pending: ReadonlySet<string>): void {
    const { clock, log, lostMs } = this.#parts
    const now = clock.now()
    for (const [id, batch] of this.#batches) {
      if (pending.has(id)) continue
      batch.endedAt ??= now
      const isLost = now - batch.endedAt > lostMs
      if (!isLost && this.#isAwaited(batch)) continue
      const files = this.#listUnconfirmed(batch).length
      if (files > 0) log.warn({ files }, 'dispatched files got no result')
      this.release(batch)
      this.#batches.delete(id)
    }
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
}
