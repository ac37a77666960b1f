const FIRST_MS = 100
const DELAY_MAX_MS = 5_000
/** A process that ran this long is restarted without delay again. */
const STABLE_MS = 60_000

/**
 * Computes the delay before a process is restarted: doubled for each exit within the last minute,
 * so that one that cannot run costs little and still comes back soon after the cause is gone.
 */
export class RestartDelay {
  #endTimes: number[] = []

  next(now: number = performance.now()): number {
    this.#endTimes = [...this.#endTimes.filter(at => now - at < STABLE_MS), now]
    return Math.min(DELAY_MAX_MS, FIRST_MS * 2 ** (this.#endTimes.length - 1))
  }
}
