import type { Instant } from '../core/clock.ts'
import type { Effect, Outcome } from '../core/outcomes.ts'

/** What is kept of the attempts to read one file (a row of crawl_state). */
export interface FileState {
  outcome: Outcome | null
  status: number | null
  /** Of the last attempt that brought an answer. */
  effect: Effect | null
  /** Since when attempts that brought an answer have had that effect. */
  streak_since: Instant | null
  attempted_at: Instant | null
  succeeded_at: Instant | null
  stale_at: Instant | null
  ended_at: Instant | null
  /** When it was last said to be missing, if other answers that are no file came since. */
  absent_at: Instant | null
}

/**
 * How far a file's last document still counts. `stale`: its properties failed validation; `ended`:
 * its grants are over too; `untried`: nobody has looked yet, so nothing may be concluded.
 */
export type Standing = 'stands' | 'stale' | 'ended' | 'untried'

const worst: readonly Standing[] = ['stands', 'stale', 'ended', 'untried']

export function standingOf(state: FileState | undefined, now: Instant): Standing {
  if (state === undefined || state.attempted_at === null) return 'untried'
  if (state.ended_at !== null && state.ended_at <= now) return 'ended'
  if (state.stale_at !== null && state.stale_at <= now) return 'stale'
  return 'stands'
}

/** A fact read through several files stands as well as the worst of them. */
export function worstOf(...standings: Standing[]): Standing {
  return worst[Math.max(...standings.map(standing => worst.indexOf(standing)))]!
}
