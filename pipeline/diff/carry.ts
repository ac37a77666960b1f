import type { Instant } from '../core/clock.ts'
import type { AdagentsDocument, DocumentOf } from '../model/documents.ts'
import { carryRevocations } from './carry-revocations.ts'

/**
 * The document to keep of a source, given the one kept so far: what must be remembered of earlier
 * ones is carried over. Pure; reading the same documents in the same order remembers the same.
 */
export function carry(
  old: DocumentOf | undefined,
  fresh: DocumentOf,
  observedAt: Instant,
): DocumentOf {
  if (fresh.variant === 'inline' || fresh.variant === 'pointer') {
    return carryRevocations(old as AdagentsDocument | undefined, fresh, observedAt)
  }
  return fresh
}
