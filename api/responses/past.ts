import { type Instant, toIso } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { findHistoryBegin } from '../../pipeline/read/queries/past-states.ts'
import type { Reader, Snapshot } from '../../pipeline/read/reader.ts'
import { completeDay, DateTime } from '../inputs/as-of.ts'
import { getSnapshot } from './lists.ts'

/** A snapshot, and a moment that its history covers. */
export interface Past {
  snapshot: Snapshot
  at: Instant
}

/** Finds the history for a moment; refuses one before it begins, or after what is published. */
export async function findPast(reader: Reader, asOf: string): Promise<Past> {
  const text = completeDay(asOf)
  if (!DateTime.safeParse(text).success) {
    refuse(
      'invalid_request',
      'as_of: must be a date and time such as 2026-01-31T09:00:00Z, or a date',
    )
  }
  const at = Date.parse(text)
  const snapshot = getSnapshot(reader)
  const begin = snapshot && (await findHistoryBegin(snapshot))
  if (snapshot === undefined || !begin) {
    return refuse('invalid_request', 'as_of: the registry keeps no history yet')
  }
  if (at < Date.parse(begin)) {
    return refuse(
      'invalid_request',
      `as_of: nothing was recorded before ${begin}, when this registry began; use a later time`,
    )
  }
  const until = reader.findAsOf(snapshot.seq) ?? snapshot.committedAt ?? toIso(reader.now())
  if (at > Date.parse(until)) {
    return refuse(
      'invalid_request',
      `as_of: the published data ends at ${until}; use an earlier time`,
    )
  }
  return { snapshot, at }
}
