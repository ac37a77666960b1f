import type { Instant } from '../core/clock.ts'

/** Time and commit of new rows, and the source of new identities. */
export interface Stamp {
  now: Instant
  seq: number
  mint: () => string
}
