import { toIso } from '../core/clock.ts'
import type { RisingIds } from '../core/uuid-v7.ts'
import type { RowStamp } from '../diff/stamp.ts'
import { type EventDraft, eventTypes, type FeedEvent } from '../model/event.ts'
import type { Database } from '../store/database.ts'

/** Numbers and stores events. Only the fields that the table of events lists are kept of each payload. */
export async function recordEvents(
  db: Database,
  drafts: readonly EventDraft[],
  actor = 'pipeline:crawler',
  { ids, now, seq }: RowStamp & { ids: RisingIds },
): Promise<FeedEvent[]> {
  const events = drafts.map(({ event_type, entity_id, payload, actor: own }): FeedEvent => {
    const { entity, payload: shape } = eventTypes[event_type]
    return {
      event_id: ids.next(),
      event_type,
      entity_type: entity,
      entity_id,
      payload: shape.parse(payload) as FeedEvent['payload'],
      actor: own ?? actor,
      created_at: toIso(now),
    }
  })
  await db.insert(
    'events',
    events.map(event => ({ ...event, seq })),
  )
  return events
}
