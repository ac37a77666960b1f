import { type Source, toSourceKey } from '../../pipeline/model/observation.ts'
import type { DueTarget } from '../../pipeline/writer/crawl/due-files.ts'

/** Files read beyond those that are enqueued at once. */
const PREFETCH_FILES = 50_000
/** Fewer files than this are not kept if they were found in this time: new ones are found as fast. */
const PREFETCH_MIN = 2_000
const QUICK_MS = 20
/** Due files stay valid for this many times as long as the query for them took… */
const VALIDITY_FACTOR = 20
/** …and no longer than this, so that new due files are not delayed. */
const VALID_MAX_MS = 30_000

/** Due files, and the time the query took without its wait for the writer. */
export interface DueRead {
  files: Iterable<DueTarget>
  tookMs: number
}

/**
 * Prefetches due files: selecting the most urgent of millions takes the writer longer than crawlers
 * need for a batch.
 */
export class Prefetch {
  readonly #read: (limit: number) => Promise<DueRead>
  #files = new Map<string, DueTarget>()
  #validUntil = 0
  /** True if nothing else was due when this was read. */
  #isAll = false

  /** Creates the buffer; `read` returns due files, the most urgent first, including those that are being crawled. */
  constructor(read: (limit: number) => Promise<DueRead>) {
    this.#read = read
  }

  /** Takes the next `count` files that are free. */
  async take(count: number, isFree: (target: DueTarget) => boolean): Promise<DueTarget[]> {
    const lacksSome = this.#files.size < count && !this.#isAll
    if (lacksSome || performance.now() > this.#validUntil) {
      await this.#refill(count, isFree)
    }
    const taken: DueTarget[] = []
    for (const [key, target] of this.#files) {
      if (taken.length === count) break
      this.#files.delete(key)
      if (isFree(target)) taken.push(target)
    }
    return taken
  }

  /** Removes files that were crawled meanwhile and are due at another time now. */
  remove(sources: readonly Source[]): void {
    for (const source of sources) this.#files.delete(toSourceKey(source))
  }

  /** Marks the files as out of date: others have become free since they were read. */
  expire(): void {
    this.#validUntil = 0
  }

  async #refill(count: number, isFree: (target: DueTarget) => boolean): Promise<void> {
    // Holding two results at a time would double the memory.
    this.#files.clear()
    let due = 0
    const { files, tookMs } = await this.#read(count + PREFETCH_FILES)
    const started = performance.now()
    for (const target of files) {
      due++
      if (isFree(target)) this.#files.set(toSourceKey(target), target)
    }
    this.#isAll = due < count + PREFETCH_FILES
    const elapsedMs = tookMs + performance.now() - started
    const validMs = Math.min(elapsedMs * VALIDITY_FACTOR, VALID_MAX_MS)
    const isQuick = due < PREFETCH_MIN && elapsedMs < QUICK_MS
    this.#validUntil = isQuick ? 0 : performance.now() - elapsedMs + validMs
  }
}
