interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface BatcherOptions<Item> {
  /** Counts the units of an item. */
  measureSize(item: Item): number
  /** Returns the number of units that complete a batch; further items wait for the next one. */
  size(): number
  /** …or when this long has passed since its first item, */
  waitMs: number
  /** Returns how long to wait for new items before this many units are committed anyway. */
  idleMs(units: number): number
}

/**
 * Batches items: they are committed together and share the result. While one batch is being
 * committed the next one fills.
 */
export class Batcher<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  readonly #options: BatcherOptions<Item>
  #open: Waiting<Item, Result>[] = []
  #units = 0
  #since = 0
  #latest = 0
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
      if (this.#open.length === 0) this.#since = now
      this.#latest = now
      this.#open.push({ item, resolve, reject })
      this.#units += this.#options.measureSize(item)
      this.consider()
    })
  }

  /**
   * Checks whether it is time to commit; called again when the result of `idleMs` may have changed.
   */
  consider(): void {
    clearTimeout(this.#timer)
    if (this.#isRunning || this.#open.length === 0) return
    const { size, waitMs, idleMs: quietMs } = this.#options
    const now = performance.now()
    const due = Math.min(this.#since + waitMs, this.#latest + quietMs(this.#units)) - now
    if (this.#units >= size() || due <= 0) void this.#go()
    else this.#timer = setTimeout(() => this.consider(), due)
  }

  /** Takes as many items as make up a batch. */
  #take(): Waiting<Item, Result>[] {
    const { measureSize, size } = this.#options
    const max = size()
    let units = 0
    let count = 0
    while (count < this.#open.length && units < max) units += measureSize(this.#open[count++]!.item)
    this.#units -= units
    return this.#open.splice(0, count)
  }

  async #go(): Promise<void> {
    const batch = this.#take()
    this.#since = performance.now()
    this.#isRunning = true
    try {
      const results = await this.#commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#isRunning = false
      this.consider()
    }
  }
}
