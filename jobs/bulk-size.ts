import type { Limits } from '../pipeline/core/limits.ts'

type Bounds = Pick<Limits, 'bulkCommitLeast' | 'bulkCommitObservations' | 'bulkCommitMs'>

/**
 * How many observations a commit takes: what one of them took lately, put against how long a save may
 * stand behind them. A night in which all is new so has smaller commits than a quiet one. What a commit
 * costs however little it brings is no reason for more of them: of small ones nothing is learnt.
 */
export class BulkSize {
  readonly #bounds: Bounds
  #msEach: number | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get observations(): number {
    const { bulkCommitLeast, bulkCommitObservations, bulkCommitMs } = this.#bounds
    if (this.#msEach === undefined) return bulkCommitLeast
    const fitting = Math.floor(bulkCommitMs / this.#msEach)
    return Math.max(bulkCommitLeast, Math.min(bulkCommitObservations, fitting))
  }

  /** What costs more is believed at once, what costs less by half. */
  learn(observations: number, ms: number): void {
    if (observations < this.#bounds.bulkCommitLeast / 2) return
    const msEach = ms / observations
    const before = this.#msEach ?? msEach
    this.#msEach = Math.max(msEach, (before + msEach) / 2)
  }
}
