import { refuse } from '../core/errors.ts'

const AGAIN_SECONDS = 1

/**
 * Shares a few tools between kinds of work. Kinds take turns, whichever came more often, and none has all
 * tools: a slow kind delays others only by what runs already. The number of waiting or running tasks of one
 * kind is limited; beyond that this kind alone is refused (503).
 */
export class FairPool<Tool> {
  readonly #idle: Tool[]
  readonly #perKindMax: number
  readonly #share: number
  readonly #present = new Map<string, number>()
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, ((tool: Tool) => void)[]>()

  constructor(tools: readonly Tool[], perKindMax: number) {
    this.#idle = [...tools]
    this.#perKindMax = perKindMax
    this.#share = Math.max(1, tools.length - 1)
  }

  async use<Result>(kind: string, work: (tool: Tool) => Promise<Result>): Promise<Result> {
    const present = this.#present.get(kind) ?? 0
    if (present >= this.#perKindMax) {
      return refuse('unavailable', 'too many lists are requested at once; try again', {
        retry_after: AGAIN_SECONDS,
      })
    }
    this.#present.set(kind, present + 1)
    const tool = await this.#waitForTurn(kind)
    try {
      return await work(tool)
    } finally {
      add(this.#present, kind, -1)
      add(this.#running, kind, -1)
      this.#idle.push(tool)
      this.#begin()
    }
  }

  #waitForTurn(kind: string): Promise<Tool> {
    return new Promise(resolve => {
      const line = this.#waiting.get(kind)
      if (line === undefined) this.#waiting.set(kind, [resolve])
      else line.push(resolve)
      this.#begin()
    })
  }

  #begin(): void {
    while (this.#idle.length > 0) {
      const kind = this.#nextKind()
      if (kind === undefined) return
      const line = this.#waiting.get(kind)!
      const next = line.shift()!
      // It queues behind all others.
      this.#waiting.delete(kind)
      if (line.length > 0) this.#waiting.set(kind, line)
      add(this.#running, kind, 1)
      next(this.#idle.pop()!)
    }
  }

  /** Chooses the waiting kind with the fewest running tasks; of several the one that ran longest ago. */
  #nextKind(): string | undefined {
    let least = this.#share
    let next: string | undefined
    for (const kind of this.#waiting.keys()) {
      const running = this.#running.get(kind) ?? 0
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
