import type { Instant } from '../core/clock.ts'
import type { AdagentsDocument, DocumentOf } from '../model/documents.ts'
import type { Fault } from '../model/observation.ts'
import { carryAgent } from './carry-agent.ts'
import { carryPointer } from './carry-pointer.ts'
import { carryPortfolio } from './carry-portfolio.ts'
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
    const before = old as AdagentsDocument | undefined
    const kept = carryRevocations(before, fresh, observedAt)
    return kept.variant === 'pointer' ? carryPointer(before, kept, observedAt) : kept
  }
  if (old?.variant === 'agent' && fresh.variant === 'agent') return carryAgent(old, fresh)
  if (fresh.variant === 'house_portfolio') return carryPortfolio(old, fresh, observedAt)
  return fresh
}

/** What is wrong with a kept document only when one knows what came before it. */
export function faultsOfKept(kept: DocumentOf): Fault[] {
  if (kept.variant !== 'agent' || kept.type === kept.inferred_type) return []
  const message =
    kept.inferred_type === 'unknown'
      ? `offer nothing that tells a type any more; it is known as ${kept.type}`
      : `tell of the type ${kept.inferred_type}; it is known as ${kept.type}`
  return [{ field: 'tools', code: 'contradictory', message, severity: 'warning' }]
}
