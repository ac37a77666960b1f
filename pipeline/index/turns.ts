import { refuse } from '../core/errors.ts'

const AGAIN_SECONDS = 1

/**
 * Who waits for one of a few tools. Kinds of work take turns, whichever of them came more often, and
 * none has all tools: a slow kind makes others wait for nothing but what runs already. There is a bound
 * to how much may be there at once, waiting or running; what comes beyond it is refused (503).
 */
export class Turns<Tool> {
  readonly #idle: Tool[]
  readonly #most: number
  readonly #share: number
  #present = 0
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, ((tool: Tool) => void)[]>()

  constructor(tools: readonly Tool[], most: number) {
    this.#idle = [...tools]
    this.#most = most
    this.#share = Math.max(1, tools.length - 1)
  }

  async use<Result>(kind: string, work: (tool: Tool) => Promise<Result>): Promise<Result> {
    if (this.#present >= this.#most) {
      return refuse('unavailable', 'too many lists are asked for at once; try again', {
        retry_after: AGAIN_SECONDS,
      })
    }
    this.#present++
    const tool = await this.#turnOf(kind)
    try {
      return await work(tool)
    } finally {
      this.#present--
      this.#count(kind, -1)
      this.#idle.push(tool)
      this.#begin()
    }
  }

  #turnOf(kind: string): Promise<Tool> {
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
      // It goes behind all others.
      this.#waiting.delete(kind)
      if (line.length > 0) this.#waiting.set(kind, line)
      this.#count(kind, 1)
      next(this.#idle.pop()!)
    }
  }

  /** Of those that wait the one of which least is running; of several the one whose turn was longest ago. */
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

  #count(kind: string, by: number): void {
    const running = (this.#running.get(kind) ?? 0) + by
    if (running === 0) this.#running.delete(kind)
    else this.#running.set(kind, running)
  }
}
