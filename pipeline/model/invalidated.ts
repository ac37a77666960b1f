import type { Instant } from '../core/clock.ts'
import type { SourceKind } from './documents/index.ts'

/** A source whose attempt changed something, so that answers that depend on it must be derived again. */
export interface Invalidated {
  kind: SourceKind
  location: string
  /** True if the document itself is new. */
  is_new: boolean
  /**
   * True when its document or its validity changed; false when only answers that depend on it did.
   */
  is_own: boolean
  /** Time of the last attempt before a new document: the change happened after it. Null if there was none. */
  known_until: Instant | null
}
