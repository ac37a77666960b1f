import type { Instant } from '../core/clock.ts'

/** Time and commit of a change to the accounts. */
export interface AccountStamp {
  now: Instant
  seq: number
  /** Public id that an editor without one gets, where what is done was done before. */
  editorId?: string
}
