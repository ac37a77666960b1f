import type { Limits } from '../../pipeline/core/limits.ts'

type Bounds = Pick<Limits, 'bulkCommitLeast' | 'bulkCommitObservations' | 'bulkCommitMs'>

/**
 * Chooses the size of a bulk commit by the recent cost of an observation and the longest time that
 * a save may wait. Nights with many changes get smaller commits. Small commits are not measured,
 * since their cost is mostly fixed.
 */
export class BatchSize {
  readonly #bounds: Bounds
  #msPerObservation: number | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get observations(): number {
    const { bulkCommitLeast, bulkCommitObservations, bulkCommitMs } = this.#bounds
    if (this.#msPerObservation === undefined) return bulkCommitLeast
    const withinTime = Math.floor(bulkCommitMs / this.#msPerObservation)
    return Math.max(bulkCommitLeast, Math.min(bulkCommitObservations, withinTime))
  }

  /** Learns the cost of a commit: a higher cost counts at once, a lower one by half. */
  learn(observations: number, ms: number): void {
    if (observations < this.#bounds.bulkCommitLeast / 2) return
    const msPerObservation = ms / observations
    const before = this.#msPerObservation ?? msPerObservation
    this.#msPerObservation = Math.max(msPerObservation, (before + msPerObservation) / 2)
  }
}
