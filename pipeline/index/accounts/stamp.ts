import type { Instant } from '../../core/clock.ts'

/** When and in which commit an account changes. */
export interface Stamp {
  now: Instant
  seq: number
}
