/**
 * Lets work begin, first come first served, while what all of it holds stays within a number of bytes.
 * What alone is more than that goes alone.
 */
export class ByteBudget {
  readonly #most: number
  #held = 0
  readonly #waiting: { bytes: number; begin: () => void }[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Whether somebody waits until others are done. */
  get isFull(): boolean {
    return this.#waiting.length > 0
  }

  async hold<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>(begin => {
      this.#waiting.push({ bytes, begin })
      this.#admit()
    })
    try {
      return await work()
    } finally {
      this.#held -= bytes
      this.#admit()
    }
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined || (this.#held > 0 && this.#held + next.bytes > this.#most)) return
      this.#waiting.shift()
      this.#held += next.bytes
      next.begin()
    }
  }
}
