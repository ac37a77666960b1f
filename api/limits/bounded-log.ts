import { type Clock, type Instant, MINUTE } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'

/** Lines of one kind a minute. */
const LINES_PER_MINUTE = 10
/** Only our own code names kinds; this limit guards against a mistake. */
const KINDS_MAX = 1_000

interface Kind {
  since: Instant
  lines: number
}

/** Logs events that callers cause: a number of lines per kind and minute, and then how many more there were. */
export class BoundedLog {
  readonly #log: Log
  readonly #clock: Clock
  readonly #kinds = new Map<string, Kind>()

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  warn(kind: string, facts: object, message: string): void {
    this.#write('warn', kind, facts, message)
  }

  info(kind: string, facts: object, message: string): void {
    this.#write('info', kind, facts, message)
  }

  #write(level: 'info' | 'warn', kind: string, facts: object, message: string): void {
    const now = this.#clock.now()
    const known = this.#kinds.get(kind)
    if (known !== undefined && known.since + MINUTE > now) {
      if (++known.lines > LINES_PER_MINUTE) return
      this.#log[level](facts, message)
      return
    }
    const suppressed = Math.max(0, (known?.lines ?? 0) - LINES_PER_MINUTE)
    if (this.#kinds.size >= KINDS_MAX) this.#kinds.clear()
    this.#kinds.set(kind, { since: now, lines: 1 })
    this.#log[level](suppressed > 0 ? { ...facts, suppressed } : facts, message)
  }
}
