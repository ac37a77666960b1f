/** Runs one statement of the connection. */
type Run = (sql: 'begin' | 'commit' | 'rollback') => Promise<unknown>

/**
 * The transactions of one connection, one after the other. After an error COMMIT would claim success,
 * so whatever fails is rolled back.
 */
export class Transactions {
  readonly #run: Run
  readonly #failed: () => void
  #queue: Promise<unknown> = Promise.resolve()
  /** State of the transaction; a requested one begins with the first statement that writes. */
  #state: 'none' | 'asked for' | 'open' = 'none'

  /** Creates the transactions of a connection; `failed` is called when written rows may be undone. */
  constructor(run: Run, failed: () => void) {
    this.#run = run
    this.#failed = failed
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Runs the work in a transaction: all that it writes is committed, or nothing. */
  whole<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#alone(async () => {
      await this.#begin()
      return work()
    })
  }

  /** Runs work and the statement that ends it, which alone needs no transaction around it. */
  ending(work: () => Promise<void>, last: () => Promise<void>): Promise<void> {
    return this.#alone(async () => {
      this.#state = 'asked for'
      await work()
      if (this.#state === 'asked for') this.#state = 'none'
      await last()
    })
  }

  /** Begins a requested transaction; called before each statement that writes. */
  async beforeWriting(): Promise<void> {
    if (this.#state === 'asked for') await this.#begin()
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(() => this.#kept(work))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async #kept<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work()
      if (this.#state === 'open') await this.#run('commit')
      return result
    } catch (error) {
      if (this.#state === 'open') await this.#run('rollback').catch(() => undefined)
      this.#failed()
      throw error
    } finally {
      this.#state = 'none'
    }
  }

  async #begin(): Promise<void> {
    this.#state = 'open'
    await this.#run('begin')
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
