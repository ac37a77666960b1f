import type { Instant } from '../core/clock.ts'

/** Time and commit of a change to the accounts. */
export interface Stamp {
  now: Instant
  seq: number
}
