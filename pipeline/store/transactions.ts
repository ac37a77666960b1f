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
  /** State of the transaction; a requested one begins with the first statement that writes. */
  #state: 'none' | 'requested' | 'open' = 'none'

  /** Creates the transactions of a connection; `onFailure` is called when written rows may be undone. */
  constructor(execute: Execute, onFailure: () => void) {
    this.#execute = execute
    this.#onFailure = onFailure
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Runs the work in a transaction: all that it writes is committed, or nothing. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runAlone(async () => {
      await this.#begin()
      return work()
    })
  }

  /** Runs work and the statement that ends it, which alone needs no transaction around it. */
  runEnding(work: () => Promise<void>, last: () => Promise<void>): Promise<void> {
    return this.#runAlone(async () => {
      this.#state = 'requested'
      await work()
      if (this.#state === 'requested') this.#state = 'none'
      await last()
    })
  }

  /** Begins a requested transaction; called before each statement that writes. */
  async beforeWriting(): Promise<void> {
    if (this.#state === 'requested') await this.#begin()
  }

  #runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(() => this.#commitOrRollBack(work))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async #commitOrRollBack<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work()
      if (this.#state === 'open') await this.#execute('commit')
      return result
    } catch (error) {
      if (this.#state === 'open') await this.#execute('rollback').catch(() => undefined)
      this.#onFailure()
      throw error
    } finally {
      this.#state = 'none'
    }
  }

  async #begin(): Promise<void> {
    this.#state = 'open'
    await this.#execute('begin')
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
