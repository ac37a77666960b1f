export const INTERVAL_MIN_S = 5
const INTERVAL_MAX_S = 900
/** A copy that takes this long is made every INTERVAL_MIN_S seconds. */
const FAST_COPY_MS = 500
/** A slower copy means that the machine is busy, not that the index is large. */
const SLOW_DISK_BYTES_PER_MS = 50_000
const COPIES_MEASURED = 3

/** Cost of the copy of a snapshot. */
export interface Copied {
  ms: number
  /** Size of the index. */
  bytes: number
}

/**
 * Decides how long to wait for the next snapshot. Copying keeps the disk busy and commits wait for
 * the checkpoint, so a large index is copied seldom. A stalled machine says nothing about the
 * index: a copy counts no longer than its size explains, and the fastest of the last copies
 * decides. So a small index is copied every few seconds.
 */
export class PublishInterval {
  readonly #recentCopiesMs: number[] = []

  /**
   * Returns the seconds between two copies: four times as many where a copy takes twice as long.
   */
  next({ ms, bytes }: Copied): number {
    this.#recentCopiesMs.push(Math.min(ms, bytes / SLOW_DISK_BYTES_PER_MS))
    if (this.#recentCopiesMs.length > COPIES_MEASURED) this.#recentCopiesMs.shift()
    const share = Math.min(...this.#recentCopiesMs) / FAST_COPY_MS
    return Math.min(
      INTERVAL_MAX_S,
      Math.max(INTERVAL_MIN_S, Math.round(INTERVAL_MIN_S * share ** 2)),
    )
  }
}
