import type { Instant } from '../core/clock.ts'
import { toIso } from '../core/clock.ts'
import type { AdagentsDocument, RememberedRevocation } from '../model/documents/index.ts'
import { REVOCATION_RETENTION_MS } from '../resolve/revocation.ts'

/**
 * Revocations remembered at most. The first are kept, so that a flood of new ones cannot displace one.
 */
const REMEMBERED_MAX = 10_000

/**
 * Carries over the revocations of a source: each domain that it lists, or listed no longer ago than
 * a revocation is retained, with the time. A domain that is listed again keeps the time it was
 * first seen, so that its seven days never restart.
 */
export function carryRevocations(
  old: AdagentsDocument | undefined,
  fresh: AdagentsDocument,
  observedAt: Instant,
): AdagentsDocument {
  const remembered = carryRemembered(old, fresh, observedAt)
  const { remembered_revocations: _, ...document } = fresh
  return remembered.length === 0
    ? document
    : { ...document, remembered_revocations: remembered.slice(0, REMEMBERED_MAX) }
}

function carryRemembered(
  old: AdagentsDocument | undefined,
  fresh: AdagentsDocument,
  observedAt: Instant,
): RememberedRevocation[] {
  const listed = listRevoked(fresh)
  const before = new Set(listRevoked(old).map(({ publisher_domain }) => publisher_domain))
  const again = new Set(listed.map(({ publisher_domain }) => publisher_domain))
  const domains = new Map(
    (old?.remembered_revocations ?? [])
      .filter(({ publisher_domain: domain, first_observed_at }) => {
        const isInForce = Date.parse(first_observed_at) + REVOCATION_RETENTION_MS > observedAt
        return isInForce || (before.has(domain) && again.has(domain))
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
