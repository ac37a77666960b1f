import { z } from 'zod'
import { type Instant, toIso } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { SNAPSHOT_KEY } from '../../pipeline/core/surrogate-keys.ts'
import { findHistoryBegin } from '../../pipeline/read/queries/past-states.ts'
import type { Reader, Snapshot } from '../../pipeline/read/reader.ts'
import { getSnapshot } from '../responses/lists.ts'

/** The time as of which an answer is asked for; its form is checked by `findPast`, since a pattern is long. */
export const asOf = z
  .string()
  .optional()
  .describe('Answer as of this time, or of the start of this UTC date')

/** A date and time with its offset. */
export const DateTime = z.iso.datetime({ offset: true })
const Day = z.iso.date()

/** Completes a day to its first moment in UTC; any other text stays as it is. */
export function completeDay(text: string): string {
  return Day.safeParse(text).success ? `${text}T00:00:00Z` : text
}

/** Lists the keys of answers for a past time: the history is that of the snapshot (pipeline/core/surrogate-keys.ts). */
export function listPastKeys(asOf: string | undefined): string[] {
  return asOf === undefined ? [] : [SNAPSHOT_KEY]
}

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
      `as_of: nothing was recorded before ${begin}, when this registry began; ask for a later time`,
    )
  }
  const until = reader.findAsOf(snapshot.seq) ?? snapshot.committedAt ?? toIso(reader.now())
  if (at > Date.parse(until)) {
    return refuse(
      'invalid_request',
      `as_of: what is known ends at ${until}; ask for an earlier time`,
    )
  }
  return { snapshot, at }
}
