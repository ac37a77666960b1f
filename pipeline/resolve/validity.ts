import type { Instant } from '../core/clock.ts'
import type { Effect, Outcome } from '../core/outcomes.ts'
import { getAt } from '../core/present.ts'

/** Attempts to read one file, as a row of crawl_state. */
export interface FileState {
  outcome: Outcome | null
  status: number | null
  /** Effect of the last attempt that brought an answer. */
  effect: Effect | null
  /** Time since which attempts with an answer have had that effect. */
  streak_since: Instant | null
  attempted_at: Instant | null
  succeeded_at: Instant | null
  stale_at: Instant | null
  ended_at: Instant | null
  /** Time at which it was last missing, if other answers that are no file came since. */
  absent_at: Instant | null
}

/**
 * Validity of a file's last document. `stale`: its properties failed validation; `expired`: its
 * grants ended too; `unknown`: it was never tried, so nothing may be concluded.
 */
export type Validity = 'valid' | 'stale' | 'expired' | 'unknown'

const bestToWorst: readonly Validity[] = ['valid', 'stale', 'expired', 'unknown']

export function getValidity(state: FileState | undefined, now: Instant): Validity {
  if (state === undefined || state.attempted_at === null) return 'unknown'
  if (state.ended_at !== null && state.ended_at <= now) return 'expired'
  if (state.stale_at !== null && state.stale_at <= now) return 'stale'
  return 'valid'
}

/** Picks the worst of several validities, for a fact that was read through several files. */
export function pickWorst(...validities: Validity[]): Validity {
  return getAt(bestToWorst, Math.max(...validities.map(validity => bestToWorst.indexOf(validity))))
}
