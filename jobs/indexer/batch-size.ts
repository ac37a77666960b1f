import type { Limits } from '../../pipeline/core/limits.ts'

type Bounds = Pick<Limits, 'bulkCommitLeast' | 'bulkCommitObservations' | 'bulkCommitMs'>

/** Small commits that are compared with the time a save may wait: one alone may be slow by chance. */
const SMALL_COMMITS = 3
/** Documents of a small commit at most: beyond that they explain its time. */
const DOCUMENTS_MAX = 10

/**
 * Chooses the size of a bulk commit by the recent cost of an observation and the longest time that
 * a save may wait. Nights with many changes get smaller commits. In a registry of many millions of
 * domains even a small commit takes longer than that, since it searches all rows; smaller ones would
 * then only make the night longer.
 */
export class BatchSize {
  readonly #bounds: Bounds
  #msPerObservation: number | undefined
  /** Times of the last small commits, in ms. */
  #smallMs: number[] = []

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get observations(): number {
    const { bulkCommitLeast, bulkCommitObservations, bulkCommitMs } = this.#bounds
    if (this.#isSlowAnyway) return bulkCommitObservations
    if (this.#msPerObservation === undefined) return bulkCommitLeast
    const withinTime = Math.floor(bulkCommitMs / this.#msPerObservation)
    return Math.max(bulkCommitLeast, Math.min(bulkCommitObservations, withinTime))
  }

  /** Learns the cost of a commit with so many documents: a higher cost counts at once, a lower one by half. */
  learn(observations: number, documents: number, ms: number): void {
    const { bulkCommitLeast } = this.#bounds
    if (observations <= bulkCommitLeast) {
      const isSmall = documents <= DOCUMENTS_MAX
      if (isSmall) this.#smallMs = [...this.#smallMs, ms].slice(-SMALL_COMMITS)
    } else if (ms > 2 * Math.max(...this.#smallMs)) {
      // Most of its time went into its observations, so smaller ones are shorter.
      this.#smallMs = []
    }
    // The cost of a small commit is mostly fixed.
    if (observations < bulkCommitLeast / 2) return
    const msPerObservation = ms / observations
    const before = this.#msPerObservation ?? msPerObservation
    this.#msPerObservation = Math.max(msPerObservation, (before + msPerObservation) / 2)
  }

  /** Tells whether even small commits take longer than a save may wait. */
  get #isSlowAnyway(): boolean {
    const small = this.#smallMs
    return small.length === SMALL_COMMITS && Math.min(...small) > this.#bounds.bulkCommitMs
  }
}
