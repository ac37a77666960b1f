import type { Instant } from '../core/clock.ts'
import type { DocumentOf } from '../model/documents.ts'

/**
 * The document to keep of a source, given the one kept so far: what must be remembered of earlier
 * ones is carried over. Pure; reading the same documents in the same order remembers the same.
 */
export function carry(
  _old: DocumentOf | undefined,
  fresh: DocumentOf,
  _observedAt: Instant,
): DocumentOf {
  return fresh
}
