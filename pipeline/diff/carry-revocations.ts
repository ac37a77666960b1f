import { type Instant, toIso } from '../core/clock.ts'
import type { AdagentsDocument, RememberedRevocation } from '../model/documents/index.ts'
import { REVOCATION_RETENTION_MS } from '../resolve/revocation.ts'

/** Revocations remembered per source. The oldest are kept, so that a flood of new ones displaces none. */
const REMEMBERED_MAX = 10_000

/**
 * Carries the revocations of a source over into its new document: each domain that the document lists, and
 * each that an earlier one listed within the retention of seven days. A domain that is listed again keeps the
 * time at which it was first observed, so that its seven days never restart.
 */
export function carryRevocations(
  old: AdagentsDocument | undefined,
  fresh: AdagentsDocument,
  observedAt: Instant,
): AdagentsDocument {
  const remembered = collectRemembered(old, fresh, observedAt)
  const { remembered_revocations: _, ...document } = fresh
  return remembered.length === 0
    ? document
    : { ...document, remembered_revocations: remembered.slice(0, REMEMBERED_MAX) }
}

function collectRemembered(
  old: AdagentsDocument | undefined,
  fresh: AdagentsDocument,
  observedAt: Instant,
): RememberedRevocation[] {
  const listed = listRevoked(fresh)
  const listedBefore = new Set(listRevoked(old).map(({ publisher_domain }) => publisher_domain))
  const listedNow = new Set(listed.map(({ publisher_domain }) => publisher_domain))
  const domains = new Map(
    (old?.remembered_revocations ?? [])
      .filter(({ publisher_domain: domain, first_observed_at }) => {
        const isRetained = Date.parse(first_observed_at) + REVOCATION_RETENTION_MS > observedAt
        // One that never left the list keeps its time even after the retention.
        return isRetained || (listedBefore.has(domain) && listedNow.has(domain))
      })
      .map(revocation => [revocation.publisher_domain, revocation]),
  )
  for (const { publisher_domain, revoked_at } of listed) {
    const known = domains.get(publisher_domain)
    domains.set(publisher_domain, {
      publisher_domain,
      revoked_at: known ? pickEarlier(known.revoked_at, revoked_at) : revoked_at,
      first_observed_at: known?.first_observed_at ?? toIso(observedAt),
    })
  }
  return [...domains.values()]
}

function listRevoked(document: AdagentsDocument | undefined) {
  return document?.variant === 'inline' ? document.revoked_publisher_domains : []
}

function pickEarlier(a: string, b: string): string {
  return Date.parse(b) < Date.parse(a) ? b : a
}
