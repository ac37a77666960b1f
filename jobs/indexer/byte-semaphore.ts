/**
 * Limits the bytes that running tasks use together; tasks start in order. A task larger than the
 * limit runs alone.
 */
export class ByteSemaphore {
  readonly #max: number
  #used = 0
  readonly #waiting: { bytes: number; begin: () => void }[] = []

  constructor(max: number) {
    this.#max = max
  }

  /** Tells whether work waits for other work to end. */
  get isFull(): boolean {
    return this.#waiting.length > 0
  }

  async run<Result>(bytes: number, task: () => Promise<Result>): Promise<Result> {
    await new Promise<void>(begin => {
      this.#waiting.push({ bytes, begin })
      this.#admit()
    })
    try {
      return await task()
    } finally {
      this.#used -= bytes
      this.#admit()
    }
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined || (this.#used > 0 && this.#used + next.bytes > this.#max)) return
      this.#waiting.shift()
      this.#used += next.bytes
      next.begin()
    }
  }
}
