interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface LaneOptions<Item> {
  /** How many units a lane's item counts for. */
  sizeOf(item: Item): number
  /** A batch goes when it has this many units; what came beyond them waits for the next one. */
  size(): number
  /** …or when this long has passed since its first item, */
  waitMs: number
  /** …or when nothing more came for this long, while so many units wait. */
  quietMs(units: number): number
}

/**
 * Many deliveries, one commit: items wait together and share the fate of their batch. While a batch
 * is being committed the next one fills.
 */
export class Lane<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  readonly #options: LaneOptions<Item>
  #open: Waiting<Item, Result>[] = []
  #units = 0
  #since = 0
  #latest = 0
  #busy = false
  #timer: NodeJS.Timeout | undefined

  constructor(commit: (items: Item[]) => Promise<Result[]>, options: LaneOptions<Item>) {
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
      this.#units += this.#options.sizeOf(item)
      this.consider()
    })
  }

  /** Looks whether it is time to commit: also when what `quietMs` says has changed. */
  consider(): void {
    clearTimeout(this.#timer)
    if (this.#busy || this.#open.length === 0) return
    const { size, waitMs, quietMs } = this.#options
    const now = performance.now()
    const due = Math.min(this.#since + waitMs, this.#latest + quietMs(this.#units)) - now
    if (this.#units >= size() || due <= 0) void this.#go()
    else this.#timer = setTimeout(() => this.consider(), due)
  }

  /** As many as make up a batch. */
  #take(): Waiting<Item, Result>[] {
    const { sizeOf, size } = this.#options
    const most = size()
    let units = 0
    let count = 0
    while (count < this.#open.length && units < most) units += sizeOf(this.#open[count++]!.item)
    this.#units -= units
    return this.#open.splice(0, count)
  }

  async #go(): Promise<void> {
    const batch = this.#take()
    this.#since = performance.now()
    this.#busy = true
    try {
      const results = await this.#commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#busy = false
      this.consider()
    }
  }
}
