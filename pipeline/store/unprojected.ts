import type { Database } from './database.ts'

/** A subject whose answer cannot be built from its rows, and the reason. */
export interface Unprojected {
  /** Part of the projection, such as `publishers`. */
  part: string
  subject: string
  reason: string
}

/** Prefix of the reason of such rows in `quarantine`. */
const REASON_PREFIX = 'not_projected: '
const IS_UNPROJECTED = `starts_with(reason, '${REASON_PREFIX}')`

/** Part whose subjects are events, by their ids. */
export const EVENTS_PART = 'events'
/** Condition on rows of `quarantine`: an event that cannot be shown. */
const IS_EVENT = `kind = '${EVENTS_PART}' and ${IS_UNPROJECTED}`
/** Condition on rows of `events`: one that can be shown, as far as is known. */
export const IS_SHOWN_EVENT = `event_id not in (select location from quarantine where ${IS_EVENT})`

/** Loads the subjects whose last answer could not be built, so that an earlier one is served. */
export function loadUnprojected(index: Database): Promise<Unprojected[]> {
  return index.written.memo('unprojected', '', ['quarantine'], () =>
    index.all<Unprojected>(
      `select kind as part, location as subject, substr(reason, ${REASON_PREFIX.length + 1}) as reason
       from quarantine where ${IS_UNPROJECTED} order by 1, 2, 3`,
    ),
  )
}

/** Quarantines subjects that cannot be projected, in place of those known until now; returns the new ones. */
export async function replaceUnprojected(
  index: Database,
  subjects: readonly Unprojected[],
  { seq, at }: { seq: number; at: string },
): Promise<Unprojected[]> {
  const known = await loadUnprojected(index)
  const toKey = ({ part, subject }: Unprojected) => `${part} ${subject}`
  const before = new Set(known.map(toKey))
  const after = new Set(subjects.map(toKey))
  if (before.size === after.size && [...after].every(key => before.has(key))) return []
  await index.transaction(async () => {
    await index.write('delete from', 'quarantine', `where ${IS_UNPROJECTED}`)
    await index.insert(
      'quarantine',
      subjects.map(({ part, subject, reason }) => ({
        kind: part,
        location: subject,
        observed_at: at,
        reason: `${REASON_PREFIX}${reason}`,
        seq,
      })),
    )
  })
  return subjects.filter(subject => !before.has(toKey(subject)))
}

/** Deletes quarantined events from the table that the index no longer has. */
export async function forgetUnprojectedEvents(index: Database): Promise<void> {
  await index.write(
    'delete from',
    'quarantine',
    `where ${IS_EVENT}
       and location not in (select event_id from events)`,
  )
}
