import { refuse } from '../../pipeline/core/errors.ts'

const AGAIN_SECONDS = 1

interface Waiting {
  begin(): void
  refuse(error: unknown): void
}

/**
 * Runs a few tasks at once. Callers with waiting tasks take turns, so many requests of one caller delay
 * only its own; when too many wait, the caller with the longest queue is refused first (503).
 */
export class FairTurns {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #busy: string
  #running = 0
  #waiting = 0
  readonly #lines = new Map<string, Waiting[]>()

  /** Creates a queue; `busy` is the text of a refusal. */
  constructor({ atOnce, waiting, busy }: { atOnce: number; waiting: number; busy: string }) {
    this.#atOnce = atOnce
    this.#mostWaiting = waiting
    this.#busy = busy
  }

  async run<Result>(caller: string, work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running++
    else await this.#waitForTurn(caller)
    try {
      return await work()
    } finally {
      this.#running--
      this.#begin()
    }
  }

  #waitForTurn(caller: string): Promise<void> {
    if (this.#waiting >= this.#mostWaiting) this.#makeRoomFor(caller)
    return new Promise((begin, refuse) => {
      const line = this.#lines.get(caller)
      if (line === undefined) this.#lines.set(caller, [{ begin, refuse }])
      else line.push({ begin, refuse })
      this.#waiting++
    })
  }

  /** Refuses the last task in the longest queue, which may be the caller's own. */
  #makeRoomFor(caller: string): void {
    let longest = caller
    let length = this.#lines.get(caller)?.length ?? 0
    for (const [other, line] of this.#lines) {
      if (line.length <= length + (longest === caller ? 1 : 0)) continue
      longest = other
      length = line.length
    }
    if (longest === caller) this.#refuse()
    const line = this.#lines.get(longest)!
    const last = line.pop()!
    this.#waiting--
    if (line.length === 0) this.#lines.delete(longest)
    try {
      this.#refuse()
    } catch (error) {
      last.refuse(error)
    }
  }

  #refuse(): never {
    return refuse('unavailable', this.#busy, { retry_after: AGAIN_SECONDS })
  }

  #begin(): void {
    const [next] = this.#lines
    if (next === undefined || this.#running >= this.#atOnce) return
    const [caller, line] = next
    const first = line.shift()!
    this.#waiting--
    // It queues behind all other callers.
    this.#lines.delete(caller)
    if (line.length > 0) this.#lines.set(caller, line)
    this.#running++
    first.begin()
  }
}
