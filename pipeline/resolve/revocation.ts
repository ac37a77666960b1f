import type { Instant } from '../core/clock.ts'
import { DAY } from '../core/clock.ts'
import { toIdentifierHost } from '../core/domain.ts'
import type {
  AdagentsDocument,
  RememberedRevocation,
  RevokedPublisherDomain,
} from '../model/documents/index.ts'

/**
 * Time for which a revocation is retained after it was first seen, listed or not, so that an
 * attacker who controls a file cannot undo it by removing the entry. It revokes the domain,
 * whatever times and reasons the file gives; an entry without a readable time counts too, as the
 * safe reading. Only an entry without a readable domain revokes nothing: it is a fault of the file.
 */
export const REVOCATION_RETENTION_MS = 7 * DAY

/**
 * Returns the time until which a file's revocation of a domain holds: without end while the file lists it,
 * and for the rest of the seven days after it no longer does. 0 if the file never listed it.
 */
function findRevokedUntil(document: AdagentsDocument, domain: string): Instant {
  const { remembered_revocations: remembered = [] } = document
  const listed = document.variant === 'inline' ? document.revoked_publisher_domains : []
  if (indexByDomain(listed).has(domain)) return Number.POSITIVE_INFINITY
  const memory = indexByDomain(remembered).get(domain)
  return memory?.first_observed_at === undefined
    ? 0
    : Date.parse(memory.first_observed_at) + REVOCATION_RETENTION_MS
}

/** Revocations of a file, and the times at which they change by themselves. */
export class Revocations {
  readonly changeTimes: Instant[] = []
  readonly #document: AdagentsDocument
  readonly now: Instant

  constructor(document: AdagentsDocument, now: Instant) {
    this.#document = document
    this.now = now
  }

  /** Tells whether it disowns a domain now. */
  has(domain: string): boolean {
    const until = findRevokedUntil(this.#document, domain)
    if (until > this.now && Number.isFinite(until)) this.changeTimes.push(until)
    return until > this.now
  }

  /** Tells whether it disowns a host, as an identifier writes it, or a domain above that host. */
  hasOver(host: string): boolean {
    if (!hasRevocations(this.#document)) return false
    const labels = toIdentifierHost(host).split('.')
    return labels.slice(0, -1).some((_, i) => this.has(labels.slice(i).join('.')))
  }
}

function hasRevocations(document: AdagentsDocument): boolean {
  const listed = document.variant === 'inline' ? document.revoked_publisher_domains : []
  return listed.length > 0 || (document.remembered_revocations ?? []).length > 0
}

type Listing = readonly (RevokedPublisherDomain & Partial<RememberedRevocation>)[]

/** A file is read for thousands of publishers: its lists are indexed once. */
const indexed = new WeakMap<Listing, ReadonlyMap<string, Listing[number]>>()

function indexByDomain(listing: Listing): ReadonlyMap<string, Listing[number]> {
  const known = indexed.get(listing)
  if (known) return known
  const domains = new Map(listing.map(entry => [entry.publisher_domain, entry]))
  indexed.set(listing, domains)
  return domains
}
