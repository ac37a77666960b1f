import type { DueTarget } from '../pipeline/index/frontier.ts'
import { type Source, sourceKey } from '../pipeline/model/observation.ts'

/** Files read beyond those that are handed out at once. */
const MORE = 50_000
/** Of so few files nothing is kept. */
const FEW = 2_000
/** Otherwise what was read is good for so many times as long as reading it took. */
const GOOD_FOR = 20

/**
 * What is due next, read ahead: finding the most wanted of millions of files holds up the writer for
 * longer than crawlers take to ask for a batch of them.
 */
export class Ahead {
  readonly #read: (limit: number) => Promise<Iterable<DueTarget>>
  #files = new Map<string, DueTarget>()
  #goodUntil = 0
  /** Nothing else was due when this was read. */
  #isAll = false

  /** `read` returns the files that are due, the most wanted first, those under way among them. */
  constructor(read: (limit: number) => Promise<Iterable<DueTarget>>) {
    this.#read = read
  }

  /** The next `count` of those that are free. */
  async take(count: number, isFree: (target: DueTarget) => boolean): Promise<DueTarget[]> {
    const lacksSome = this.#files.size < count && !this.#isAll
    if (lacksSome || performance.now() > this.#goodUntil) {
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

  /** These were crawled meanwhile: they are due at another time now. */
  forget(sources: readonly Source[]): void {
    for (const source of sources) this.#files.delete(sourceKey(source))
  }

  /** Others are free now than when it was read. */
  expire(): void {
    this.#goodUntil = 0
  }

  async #refill(count: number, isFree: (target: DueTarget) => boolean): Promise<void> {
    const started = performance.now()
    // Two readings at a time would be twice the memory.
    this.#files.clear()
    let due = 0
    for (const target of await this.#read(count + MORE)) {
      due++
      if (isFree(target)) this.#files.set(sourceKey(target), target)
    }
    this.#isAll = due < count + MORE
    const took = performance.now() - started
    this.#goodUntil = due < FEW ? 0 : started + took * GOOD_FOR
  }
}
