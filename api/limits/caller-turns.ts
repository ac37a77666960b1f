interface Caller {
  inside: number
  waiting: (() => void)[]
}

/** Limits the concurrent queries of one caller; the others wait in order. */
export class CallerTurns {
  readonly #callers = new Map<string, Caller>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** Waits for a turn and returns a function to call once at the end; undefined if the turn did not come in time. */
  async enter(name: string, ms: number): Promise<(() => void) | undefined> {
    const caller = this.#callers.get(name) ?? { inside: 0, waiting: [] }
    this.#callers.set(name, caller)
    const leave = () => this.#leave(name, caller)
    if (caller.inside < this.#max) {
      caller.inside++
      return leave
    }
    const hasTurn = await new Promise<boolean>(resolve => {
      const begin = () => {
        clearTimeout(late)
        resolve(true)
      }
      const late = setTimeout(() => {
        caller.waiting.splice(caller.waiting.indexOf(begin), 1)
        resolve(false)
      }, ms)
      caller.waiting.push(begin)
    })
    return hasTurn ? leave : undefined
  }

  /** Passes the place on to the caller's first waiting query. */
  #leave(name: string, caller: Caller): void {
    const next = caller.waiting.shift()
    if (next) next()
    else if (--caller.inside === 0) this.#callers.delete(name)
  }
}
