import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { CallerShares } from '../limits/caller-shares.ts'

/** Interval at which waiting requests look for a new commit. */
const POLL_MS = 100
const RETRY_AFTER_S = 30

interface Wait {
  caller: string
  /** Longest wait in milliseconds. */
  ms: number
  /** Ends the wait when the caller disconnects. */
  signal: AbortSignal
}

/**
 * Holds requests until there is a commit that they have not seen. All of them share one timer, which runs
 * only while somebody waits.
 */
export class CommitWaiters {
  readonly #reader: Pick<Reader, 'serving'>
  readonly #limits: Pick<Config['LIMITS'], 'feedStreamsPerCaller'>
  readonly #waiting: CallerShares<() => void>
  /** True while the process stops: nobody may wait anymore. */
  isClosed = false
  #seq = 0
  #timer: NodeJS.Timeout | undefined

  constructor(reader: Pick<Reader, 'serving'>, { LIMITS }: Pick<Config, 'LIMITS'>) {
    this.#reader = reader
    this.#limits = LIMITS
    this.#waiting = new CallerShares(LIMITS.feedStreams)
  }

  get count(): number {
    return this.#waiting.count
  }

  /** Returns the number of the commit that an answer built now shows. */
  get seq(): number {
    return this.#reader.serving?.seq ?? 0
  }

  /**
   * Waits for a commit after `seen`, or until the time is over. Whoever has most requests waiting gives way when
   * there are too many.
   */
  async waitAfter(seen: number, { caller, ms, signal }: Wait): Promise<void> {
    if (this.#waiting.countItems(caller) >= this.#limits.feedStreamsPerCaller)
      refuse('unavailable', 'too many of your requests are waiting; end one, or try again', {
        retry_after: RETRY_AFTER_S,
      })
    if (this.seq !== seen || signal.aborted) return
    if (this.count === 0) this.#seq = seen
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS)
    await new Promise<void>(resolve => {
      const end = () => {
        clearTimeout(timeout)
        signal.removeEventListener('abort', end)
        this.#waiting.remove(end)
        resolve()
      }
      const timeout = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      for (const gone of this.#waiting.add(caller, end)) gone()
    })
    if (this.count === 0) this.#stop()
  }

  close(): void {
    this.isClosed = true
    for (const end of [...this.#waiting.items()]) end()
    this.#stop()
  }

  #poll(): void {
    if (this.seq === this.#seq) return
    this.#seq = this.seq
    for (const end of [...this.#waiting.items()]) end()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
