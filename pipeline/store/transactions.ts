/** Runs one statement of the connection. */
type Execute = (sql: 'begin' | 'commit' | 'rollback') => Promise<unknown>

/**
 * The transactions of one connection, one after the other. After an error COMMIT would claim success,
 * so whatever fails is rolled back.
 */
export class Transactions {
  readonly #execute: Execute
  readonly #onFailure: () => void
  #queue: Promise<unknown> = Promise.resolve()
  #isOpen = false

  /** Creates the transactions of a connection; `onFailure` is called when written rows may be undone. */
  constructor(execute: Execute, onFailure: () => void = () => {}) {
    this.#execute = execute
    this.#onFailure = onFailure
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Runs the work in a transaction: all that it writes is committed, or nothing. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(() => this.#commitOrRollBack(work))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async #commitOrRollBack<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isOpen = true
    let isBegun = false
    try {
      await this.#execute('begin')
      isBegun = true
      const result = await work()
      await this.#execute('commit')
      return result
    } catch (error) {
      if (isBegun) await this.#execute('rollback').catch(() => undefined)
      this.#onFailure()
      throw error
    } finally {
      this.#isOpen = false
    }
  }
}

/**
 * Resolves when all of this work has; otherwise rejects with the first rejection, but only after all has
 * settled: what still ran would write into the transaction after the rolled back one.
 */
export async function allSettledOrThrow(...work: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) {
    if (end.status === 'rejected') throw end.reason
  }
}
