import { refuse } from '../core/errors.ts'
import { getOrThrow, requireValue } from '../core/present.ts'

const AGAIN_SECONDS = 1

/**
 * Shares a few tools between kinds of work. Kinds take turns, whichever came more often, and none has all
 * tools: a slow kind delays others only by what runs already. The number of waiting or running tasks of one
 * kind is limited; beyond that this kind alone is refused (503).
 */
export class FairPool<Tool> {
  readonly #idle: Tool[]
  readonly #perKindMax: number
  readonly #shareMax: number
  readonly #tasksByKind = new Map<string, number>()
  readonly #runningByKind = new Map<string, number>()
  readonly #waitingByKind = new Map<string, ((tool: Tool) => void)[]>()

  constructor(tools: readonly Tool[], perKindMax: number) {
    this.#idle = [...tools]
    this.#perKindMax = perKindMax
    this.#shareMax = Math.max(1, tools.length - 1)
  }

  async use<Result>(kind: string, work: (tool: Tool) => Promise<Result>): Promise<Result> {
    const tasks = this.#tasksByKind.get(kind) ?? 0
    if (tasks >= this.#perKindMax) {
      return refuse('unavailable', 'too many lists are requested at once; try again', {
        retry_after: AGAIN_SECONDS,
      })
    }
    this.#tasksByKind.set(kind, tasks + 1)
    const tool = await this.#waitForTurn(kind)
    try {
      return await work(tool)
    } finally {
      add(this.#tasksByKind, kind, -1)
      add(this.#runningByKind, kind, -1)
      this.#idle.push(tool)
      this.#startNext()
    }
  }

  #waitForTurn(kind: string): Promise<Tool> {
    return new Promise(resolve => {
      const line = this.#waitingByKind.get(kind)
      if (line === undefined) this.#waitingByKind.set(kind, [resolve])
      else line.push(resolve)
      this.#startNext()
    })
  }

  #startNext(): void {
    while (this.#idle.length > 0) {
      const kind = this.#nextKind()
      if (kind === undefined) return
      const line = getOrThrow(this.#waitingByKind, kind)
      const next = requireValue(line.shift(), 'waiting task')
      // It queues behind all others.
      this.#waitingByKind.delete(kind)
      if (line.length > 0) this.#waitingByKind.set(kind, line)
      add(this.#runningByKind, kind, 1)
      next(requireValue(this.#idle.pop(), 'idle tool'))
    }
  }

  /** Chooses the waiting kind with the fewest running tasks; of several the one that ran longest ago. */
  #nextKind(): string | undefined {
    let least = this.#shareMax
    let next: string | undefined
    for (const kind of this.#waitingByKind.keys()) {
      const running = this.#runningByKind.get(kind) ?? 0
      if (running >= least) continue
      least = running
      next = kind
    }
    return next
  }
}

/** Adds to a count; kinds whose count is zero are forgotten. */
function add(counts: Map<string, number>, kind: string, by: number): void {
  const count = (counts.get(kind) ?? 0) + by
  if (count === 0) counts.delete(kind)
  else counts.set(kind, count)
}
