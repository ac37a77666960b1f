import { refuse } from '../../pipeline/core/errors.ts'
import { getOrThrow, requireValue } from '../../pipeline/core/present.ts'

const RETRY_AFTER_S = 1

interface WaitingTask {
  begin(): void
  refuse(error: unknown): void
}

export interface FairTaskQueueOptions {
  /** Tasks that run at once. */
  concurrency: number
  /** Tasks of all callers together that may wait. */
  waitingMax: number
  /** Text of the refusal beyond that. */
  refusal: string
}

/**
 * Runs a few tasks at once. Callers with waiting tasks take turns, so many requests of one caller delay
 * only its own; when too many wait, the caller with the longest queue is refused first (503).
 */
export class FairTaskQueue {
  readonly #concurrency: number
  readonly #waitingMax: number
  readonly #refusal: string
  #running = 0
  #waiting = 0
  readonly #queues = new Map<string, WaitingTask[]>()

  constructor({ concurrency, waitingMax, refusal }: FairTaskQueueOptions) {
    this.#concurrency = concurrency
    this.#waitingMax = waitingMax
    this.#refusal = refusal
  }

  /** Runs the work when it is the caller's turn, and returns its result. Refuses with 503 if too many wait. */
  async run<Result>(caller: string, work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#running < this.#concurrency) this.#running++
    else await this.#waitForTurn(caller)
    try {
      return await work()
    } finally {
      this.#running--
      this.#begin()
    }
  }

  #waitForTurn(caller: string): Promise<void> {
    if (this.#waiting >= this.#waitingMax) this.#makeRoomFor(caller)
    return new Promise((begin, refuse) => {
      const queue = this.#queues.get(caller)
      if (queue === undefined) this.#queues.set(caller, [{ begin, refuse }])
      else queue.push({ begin, refuse })
      this.#waiting++
    })
  }

  /** Refuses the last task in the longest queue, which may be the caller's own. */
  #makeRoomFor(caller: string): void {
    let longest = caller
    let length = this.#queues.get(caller)?.length ?? 0
    for (const [other, queue] of this.#queues) {
      if (queue.length <= length + (longest === caller ? 1 : 0)) continue
      longest = other
      length = queue.length
    }
    if (longest === caller) this.#refuse()
    const queue = getOrThrow(this.#queues, longest)
    const last = requireValue(queue.pop(), 'waiting task')
    this.#waiting--
    if (queue.length === 0) this.#queues.delete(longest)
    try {
      this.#refuse()
    } catch (error) {
      last.refuse(error)
    }
  }

  #refuse(): never {
    return refuse('unavailable', this.#refusal, { retry_after: RETRY_AFTER_S })
  }

  #begin(): void {
    const [next] = this.#queues
    if (next === undefined || this.#running >= this.#concurrency) return
    const [caller, queue] = next
    const first = requireValue(queue.shift(), 'waiting task')
    this.#waiting--
    // It queues behind all other callers.
    this.#queues.delete(caller)
    if (queue.length > 0) this.#queues.set(caller, queue)
    this.#running++
    first.begin()
  }
}
