import { Fatal } from '../core/errors.ts'

/** Runs one statement of the connection. */
type Execute = (sql: 'begin' | 'commit' | 'rollback') => Promise<unknown>

/**
 * The transactions of one connection, one after the other. After an error COMMIT would claim success,
 * so whatever fails is rolled back. Where that fails too, nothing may be written anymore: a `Fatal` is thrown.
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
      this.#onFailure()
      if (isBegun) await this.#execute('rollback').catch(cause => refuseMore(error, cause))
      throw error
    } finally {
      this.#isOpen = false
    }
  }
}

function refuseMore(error: unknown, cause: unknown): never {
  const { message } = error instanceof Error ? error : new Error(String(error))
  throw new Fatal(`a commit failed (${message}) and could not be undone: restart the registry`, {
    cause,
  })
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
