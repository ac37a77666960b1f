import type { Instant } from '../core/clock.ts'

/** Time and commit that new rows get. */
export interface RowStamp {
  now: Instant
  seq: number
  /** Creates the permanent id of a new property or collection. */
  mint: () => string
}
