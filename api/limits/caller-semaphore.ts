interface Caller {
  running: number
  waiting: (() => void)[]
}

/** Limits the concurrent requests of each caller; further ones wait in order. */
export class CallerSemaphore {
  readonly #callers = new Map<string, Caller>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /**
   * Waits at most `ms` until the caller may run another request. Returns the function to call once at its
   * end; undefined if the wait was too long.
   */
  async acquire(name: string, ms: number): Promise<(() => void) | undefined> {
    const caller = this.#callers.get(name) ?? { running: 0, waiting: [] }
    this.#callers.set(name, caller)
    const release = () => this.#release(name, caller)
    if (caller.running < this.#max) {
      caller.running++
      return release
    }
    const isAdmitted = await new Promise<boolean>(resolve => {
      const begin = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        caller.waiting.splice(caller.waiting.indexOf(begin), 1)
        resolve(false)
      }, ms)
      caller.waiting.push(begin)
    })
    return isAdmitted ? release : undefined
  }

  /** Passes the slot on to the caller's first waiting request. */
  #release(name: string, caller: Caller): void {
    const next = caller.waiting.shift()
    if (next) next()
    else if (--caller.running === 0) this.#callers.delete(name)
  }
}
