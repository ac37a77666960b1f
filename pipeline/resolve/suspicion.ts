import { DAY, type Instant, isoOf, MINUTE } from '../core/clock.ts'
import type { Fault } from '../model/observation.ts'

/** Clocks of those who write a file may differ by this much. */
const SKEW = MINUTE
/** A file that leads elsewhere is believed when it has done so for this long. */
export const MOVE_HOLDS = DAY

/** What of a document can make a change suspicious. */
export interface Marks {
  last_updated: string | null
  authoritative_location: string | null
}

/** The document that stands, since when, and whether its grants are over. */
export interface Kept extends Marks {
  accepted_at: Instant
  ended: boolean
}

/** What is held of the file already. */
export interface Held {
  reason: Suspicion['reason']
  leads_to: string | null
  first_seen_at: Instant
}

export interface Sighting extends Marks {
  observed_at: Instant
  /** A person asked for this crawl: the move was meant. */
  requested: boolean
}

export interface Suspicion {
  reason: 'older' | 'moved'
  leads_to: string | null
  first_seen_at: Instant
  /** When it is believed if it stays; undefined for what is not believed at all. */
  believed_at?: Instant
  fault: Fault
}

/**
 * Whether other bytes than those that stand are to be believed. Who gets hold of a file or a cache on
 * the way to it can serve an old document, to undo what was revoked since, or lead to a document of
 * their own. So an older one counts as no answer for as long as the other stands; one that leads
 * elsewhere counts after a day, in which its publisher can notice.
 */
export function suspicionOf(
  kept: Kept,
  fresh: Sighting,
  held: Held | undefined,
): Suspicion | undefined {
  const reason = isOlder(kept, fresh) ? 'older' : isMoved(kept, fresh) ? 'moved' : undefined
  if (reason === undefined) return undefined
  const leads_to = fresh.authoritative_location
  const isSame = held?.reason === reason && held.leads_to === leads_to
  const first_seen_at = isSame ? held.first_seen_at : fresh.observed_at
  if (reason === 'older') {
    return { reason, leads_to, first_seen_at, fault: olderFault(kept, fresh) }
  }
  const believed_at = first_seen_at + MOVE_HOLDS
  if (fresh.requested || fresh.observed_at >= believed_at) return undefined
  return { reason, leads_to, first_seen_at, believed_at, fault: movedFault(kept, believed_at) }
}

/**
 * A time that lay ahead when the document was accepted says no more than that moment: a slip in one
 * file must not lock out all that follow. A document whose grants are over protects nothing.
 */
function isOlder(kept: Kept, { last_updated }: Marks): boolean {
  if (kept.ended || kept.last_updated === null || last_updated === null) return false
  const known = Math.min(Date.parse(kept.last_updated), kept.accepted_at)
  return Date.parse(last_updated) < known - SKEW
}

function isMoved(kept: Marks, fresh: Marks): boolean {
  return (
    kept.authoritative_location !== null &&
    fresh.authoritative_location !== null &&
    kept.authoritative_location !== fresh.authoritative_location
  )
}

function olderFault(kept: Marks, { last_updated }: Marks): Fault {
  const message = `is ${last_updated}, older than ${kept.last_updated} of the file read before: that one still counts`
  return { field: 'last_updated', code: 'held_back', message, severity: 'error' }
}

function movedFault(kept: Marks, believedAt: Instant): Fault {
  const until = `until ${isoOf(believedAt)}, or until somebody asks for a crawl`
  const message = `leads elsewhere than before: ${kept.authoritative_location} still counts ${until}`
  return { field: 'authoritative_location', code: 'held_back', message, severity: 'warning' }
}
