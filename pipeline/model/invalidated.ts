import type { Instant } from '../core/clock.ts'
import type { SourceKind } from './documents/index.ts'

/** A file whose answer must be derived again: its own domain's, or only those that depend on it. */
export interface Invalidated {
  kind: SourceKind
  location: string
  /** True if the document itself is new. */
  is_new: boolean
  /**
   * True when its document or its validity changed; false when only answers that depend on it did.
   */
  is_own: boolean
  /** Time of the attempt before a new document. */
  known_until: Instant | null
}
