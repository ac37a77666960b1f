import { refuse } from './errors.ts'
import { getOrThrow, requireValue } from './present.ts'

const RETRY_AFTER_S = 1

interface WaitingTask<Tool> {
  begin(tool: Tool): void
  refuse(error: unknown): void
}

/** Tasks of one caller, or of one kind of work. */
interface Line<Tool> {
  running: number
  readonly waiting: WaitingTask<Tool>[]
}

export interface FairQueueOptions<Tool> {
  /** Tools such as connections: each task has one while it runs, so as many run at once. */
  tools: readonly Tool[]
  /** Tasks of one line that may run at once. */
  shareMax?: number
  /** Tasks of one line that may run or wait; beyond that this line alone is refused. */
  perLineMax?: number
  /** Tasks of all lines together that may wait; beyond that the longest line is refused first. */
  waitingMax?: number
  /** Text of the refusals (503). */
  refusal: string
}

/** Runs a few tasks at once. Lines with waiting tasks take turns, so that each delays mostly itself. */
export class FairQueue<Tool> {
  readonly #idle: Tool[]
  readonly #shareMax: number
  readonly #perLineMax: number
  readonly #waitingMax: number
  readonly #refusal: string
  #waiting = 0
  /** Lines with tasks, that whose turn was last at the end. */
  readonly #lines = new Map<string, Line<Tool>>()

  constructor(options: FairQueueOptions<Tool>) {
    this.#idle = [...options.tools]
    this.#shareMax = options.shareMax ?? Number.POSITIVE_INFINITY
    this.#perLineMax = options.perLineMax ?? Number.POSITIVE_INFINITY
    this.#waitingMax = options.waitingMax ?? Number.POSITIVE_INFINITY
    this.#refusal = options.refusal
  }

  /** Runs the work when it is its turn, and returns its result. Refuses with 503 if too many wait. */
  async run<Result>(name: string, work: (tool: Tool) => Result | Promise<Result>): Promise<Result> {
    const tool = await this.#waitForTurn(name)
    try {
      return await work(tool)
    } finally {
      const line = getOrThrow(this.#lines, name)
      line.running--
      this.#forgetEmpty(name, line)
      this.#idle.push(tool)
      this.#startNext()
    }
  }

  #waitForTurn(name: string): Promise<Tool> {
    const line = this.#lines.get(name) ?? { running: 0, waiting: [] }
    if (line.running + line.waiting.length >= this.#perLineMax) this.#refuse()
    if (this.#idle.length === 0 && this.#waiting >= this.#waitingMax) this.#makeRoomFor(name)
    if (line.waiting.length === 0) this.#moveToEnd(name, line)
    return new Promise((begin, refuse) => {
      line.waiting.push({ begin, refuse })
      this.#waiting++
      this.#startNext()
    })
  }

  #startNext(): void {
    while (this.#idle.length > 0) {
      const name = this.#findNext()
      if (name === undefined) return
      const line = getOrThrow(this.#lines, name)
      const next = requireValue(line.waiting.shift(), 'waiting task')
      this.#waiting--
      line.running++
      this.#moveToEnd(name, line)
      next.begin(requireValue(this.#idle.pop(), 'idle tool'))
    }
  }

  /** Finds the waiting line with the fewest running tasks; of several that whose turn was longest ago. */
  #findNext(): string | undefined {
    let least = this.#shareMax
    let next: string | undefined
    for (const [name, { running, waiting }] of this.#lines) {
      if (waiting.length === 0 || running >= least) continue
      least = running
      next = name
    }
    return next
  }

  /** Refuses the last task in the longest line, which may be the newcomer's own. */
  #makeRoomFor(newcomer: string): void {
    let longest = newcomer
    let length = this.#lines.get(newcomer)?.waiting.length ?? 0
    for (const [other, { waiting }] of this.#lines) {
      if (waiting.length <= length + (longest === newcomer ? 1 : 0)) continue
      longest = other
      length = waiting.length
    }
    if (longest === newcomer) this.#refuse()
    const line = getOrThrow(this.#lines, longest)
    const last = requireValue(line.waiting.pop(), 'waiting task')
    this.#waiting--
    this.#forgetEmpty(longest, line)
    try {
      this.#refuse()
    } catch (error) {
      last.refuse(error)
    }
  }

  #refuse(): never {
    return refuse('unavailable', this.#refusal, { retry_after: RETRY_AFTER_S })
  }

  #moveToEnd(name: string, line: Line<Tool>): void {
    this.#lines.delete(name)
    this.#lines.set(name, line)
  }

  #forgetEmpty(name: string, { running, waiting }: Line<Tool>): void {
    if (running === 0 && waiting.length === 0) this.#lines.delete(name)
  }
}
