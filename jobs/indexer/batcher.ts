import { getAt } from '../../pipeline/core/present.ts'

interface WaitingItem<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface BatcherOptions<Item> {
  /** Counts the units of an item. */
  measureSize(item: Item): number
  /** Units that complete a batch; further items wait for the next one. */
  size: number
  /** Milliseconds after its first item at which a smaller batch is committed. */
  waitMs: number
  /** Returns the milliseconds without a new item after which a batch of this many units is committed. */
  idleMs(units: number): number
}

/**
 * Batches items: they are committed together and share the result. While one batch is being
 * committed the next one fills.
 */
export class Batcher<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  readonly #options: BatcherOptions<Item>
  #queue: WaitingItem<Item, Result>[] = []
  #units = 0
  #oldestAt = 0
  #newestAt = 0
  #isRunning = false
  #timer: NodeJS.Timeout | undefined

  constructor(commit: (items: Item[]) => Promise<Result[]>, options: BatcherOptions<Item>) {
    this.#commit = commit
    this.#options = options
  }

  /** Resolves with the item's result once its batch is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const now = performance.now()
      if (this.#queue.length === 0) this.#oldestAt = now
      this.#newestAt = now
      this.#queue.push({ item, resolve, reject })
      this.#units += this.#options.measureSize(item)
      this.commitIfDue()
    })
  }

  /**
   * Commits the next batch if it is due, or sets a timer; to be called when the result of `idleMs` may have
   * changed.
   */
  commitIfDue(): void {
    clearTimeout(this.#timer)
    if (this.#isRunning || this.#queue.length === 0) return
    const { size, waitMs, idleMs } = this.#options
    const now = performance.now()
    const due = Math.min(this.#oldestAt + waitMs, this.#newestAt + idleMs(this.#units)) - now
    if (this.#units >= size || due <= 0) void this.#commitNext()
    else this.#timer = setTimeout(() => this.commitIfDue(), due)
  }

  /** Removes as many items from the queue as make up a batch. */
  #cutBatch(): WaitingItem<Item, Result>[] {
    const { measureSize, size } = this.#options
    let units = 0
    let count = 0
    while (count < this.#queue.length && units < size)
      units += measureSize(getAt(this.#queue, count++).item)
    this.#units -= units
    return this.#queue.splice(0, count)
  }

  async #commitNext(): Promise<void> {
    const batch = this.#cutBatch()
    this.#oldestAt = performance.now()
    this.#isRunning = true
    try {
      const results = await this.#commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#isRunning = false
      this.commitIfDue()
    }
  }
}
