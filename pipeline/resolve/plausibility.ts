import { DAY, type Instant, MINUTE, toIso } from '../core/clock.ts'
import type { Fault } from '../model/observation.ts'

/** Difference that the clocks of a file’s editors may have. */
const CLOCK_SKEW_MS = MINUTE
/** Time after which a changed pointer is believed. */
export const MOVE_DELAY_MS = DAY

/** Fields of a document by which a change is judged. */
export interface DocumentHeader {
  last_updated: string | null
  authoritative_location: string | null
}

/** The document that counts, the time since which it does, and whether its grants have ended. */
export interface AcceptedDocument extends DocumentHeader {
  accepted_at: Instant
  ended: boolean
}

/** An implausible version of the file that an earlier crawl found and held back. */
export interface HeldVersion {
  reason: PlausibilityFault['reason']
  leads_to: string | null
  first_seen_at: Instant
}

export interface FetchedDocument extends DocumentHeader {
  observed_at: Instant
  /** True if a person requested this crawl: the move was intended. */
  requested: boolean
}

/** Why a document is held back: it is older than the accepted one, or points elsewhere (`leads_to`). */
export interface PlausibilityFault {
  reason: 'older' | 'moved'
  leads_to: string | null
  first_seen_at: Instant
  /** Time from which it is believed if it stays; undefined for what is never believed. */
  believed_at?: Instant
  fault: Fault
}

/**
 * Checks whether a changed document is plausible. An attacker who controls a file, or a cache on
 * the way to it, can serve an old document to undo a revocation, or redirect to another document.
 * So an older document counts as no answer while the newer one is valid; one that points elsewhere
 * counts after a day, in which its publisher can notice. Undefined if the document is plausible.
 */
export function checkPlausibility(
  accepted: AcceptedDocument,
  fresh: FetchedDocument,
  held: HeldVersion | undefined,
): PlausibilityFault | undefined {
  const reason = isOlder(accepted, fresh) ? 'older' : isMoved(accepted, fresh) ? 'moved' : undefined
  if (reason === undefined) return undefined
  const leads_to = fresh.authoritative_location
  const isSame = held?.reason === reason && held.leads_to === leads_to
  const first_seen_at = isSame ? held.first_seen_at : fresh.observed_at
  if (reason === 'older') {
    return { reason, leads_to, first_seen_at, fault: buildOlderFault(accepted, fresh) }
  }
  const believed_at = first_seen_at + MOVE_DELAY_MS
  if (fresh.requested || fresh.observed_at >= believed_at) return undefined
  return {
    reason,
    leads_to,
    first_seen_at,
    believed_at,
    fault: buildMovedFault(accepted, believed_at),
  }
}

/**
 * Tells whether a document is older than the accepted one, by `last_updated`. A time that lay in the future
 * when the document was accepted counts as the time of acceptance: otherwise a typo in one file would lock
 * out all later ones. A document whose grants have ended is not protected.
 */
function isOlder(accepted: AcceptedDocument, { last_updated }: DocumentHeader): boolean {
  if (accepted.ended || accepted.last_updated === null || last_updated === null) return false
  const known = Math.min(Date.parse(accepted.last_updated), accepted.accepted_at)
  return Date.parse(last_updated) < known - CLOCK_SKEW_MS
}

function isMoved(accepted: DocumentHeader, fresh: DocumentHeader): boolean {
  return (
    accepted.authoritative_location !== null &&
    fresh.authoritative_location !== null &&
    accepted.authoritative_location !== fresh.authoritative_location
  )
}

function buildOlderFault(accepted: DocumentHeader, { last_updated }: DocumentHeader): Fault {
  const message = `is ${last_updated}, older than ${accepted.last_updated} of the previous file, which still counts`
  return { field: 'last_updated', code: 'held_back', message, severity: 'error' }
}

function buildMovedFault(accepted: DocumentHeader, acceptedAt: Instant): Fault {
  const until = `until ${toIso(acceptedAt)}, or until someone requests a crawl`
  const message = `has another target than before: ${accepted.authoritative_location} still counts ${until}`
  return { field: 'authoritative_location', code: 'held_back', message, severity: 'warning' }
}
