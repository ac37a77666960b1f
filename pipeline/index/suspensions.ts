import { isoOf } from '../core/clock.ts'
import { diff } from '../diff/diff.ts'
import { propertyEvents } from '../diff/events.ts'
import type { EventDraft } from '../model/event.ts'
import type { PropertyRow } from '../model/rows.ts'
import type { Suspension } from './accounts/publications.ts'
import { type Database, listOf } from './duckdb.ts'
import { writeChanges } from './rows.ts'

const ACTOR = 'registry:dispute'
/** Why a property is stale whose identifier is disputed. */
export const DISPUTED = 'disputed'

/** Contributed properties turn stale while they are disputed, and active again when they were right. */
export async function takeSuspensions(
  db: Database,
  suspensions: readonly Suspension[],
  stamp: { now: number; seq: number },
): Promise<EventDraft[]> {
  if (suspensions.length === 0) return []
  const asked = new Map(suspensions.map(one => [one.property_rid, one.suspended]))
  const before = await db.all<PropertyRow>(
    `select * from properties where source = 'contributed'
       and property_rid::varchar in (select unnest(${listOf('$rids')})) order by property_rid`,
    { rids: JSON.stringify([...asked.keys()]) },
  )
  const stamped = { changed_at: isoOf(stamp.now), seq: stamp.seq }
  const after = before.map((row): PropertyRow => {
    const suspended = asked.get(row.property_rid)
    if (suspended && row.status === 'active') {
      return { ...row, status: 'stale', stale_reason: DISPUTED, ...stamped }
    }
    const isOver = !suspended && row.stale_reason === DISPUTED
    return isOver ? { ...row, status: 'active', stale_reason: null, ...stamped } : row
  })
  const changes = diff(before, after, row => row.property_rid, ['status', 'stale_reason'])
  await writeChanges(db, 'properties', 'property_rid', changes)
  return changes.flatMap(propertyEvents).map(event => ({ ...event, actor: ACTOR }))
}
