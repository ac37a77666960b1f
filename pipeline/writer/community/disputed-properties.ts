import type { Suspension } from '../../accounts/publications.ts'
import { toIso } from '../../core/clock.ts'
import { diff } from '../../diff/diff.ts'
import { diffProperty } from '../../diff/events.ts'
import type { EventDraft } from '../../model/event.ts'
import type { PropertyRow } from '../../model/rows.ts'
import type { Database } from '../../store/database.ts'
import { writeChanges } from '../../store/row-writes.ts'

const ACTOR = 'registry:dispute'
/** Stale reason of a property whose identifier is disputed. */
export const DISPUTED = 'disputed'

/**
 * Applies suspensions: contributed properties turn stale while they are disputed, and active again when the
 * dispute is rejected.
 */
export async function applySuspensions(
  db: Database,
  suspensions: readonly Suspension[],
  stamp: { now: number; seq: number },
): Promise<EventDraft[]> {
  if (suspensions.length === 0) return []
  const asked = new Map(
    suspensions.map(suspension => [suspension.property_rid, suspension.suspended]),
  )
  const before = await db.all<PropertyRow>(
    `select * from properties where source = 'contributed'
       and property_rid in (select value from json_each($rids)) order by property_rid`,
    { rids: JSON.stringify([...asked.keys()]) },
  )
  const stamped = { changed_at: toIso(stamp.now), seq: stamp.seq }
  const after = before.map((row): PropertyRow => {
    const suspended = asked.get(row.property_rid)
    if (suspended && row.status === 'active') {
      return { ...row, status: 'stale', stale_reason: DISPUTED, ...stamped }
    }
    const isResolved = !suspended && row.stale_reason === DISPUTED
    return isResolved ? { ...row, status: 'active', stale_reason: null, ...stamped } : row
  })
  const changes = diff(before, after, row => row.property_rid, ['status', 'stale_reason'])
  await writeChanges(db, 'properties', 'property_rid', changes)
  return changes.flatMap(diffProperty).map(event => ({ ...event, actor: ACTOR }))
}
