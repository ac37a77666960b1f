import type { EventDraft, EventType } from '../model/event.ts'

/** Actor of the events that tell what was there when a publisher was first looked at. */
const FIRST_LOAD = 'pipeline:backfill'
const reportedTypes: ReadonlySet<EventType> = new Set<EventType>([
  'property.created',
  'collection.created',
  'authorization.granted',
])

/**
 * Marks the events of the first file of a publisher. Its content may be years old: readers that
 * want only changes can tell it by its actor.
 */
export function markFirstLoad(drafts: readonly EventDraft[]): EventDraft[] {
  return drafts.map(draft =>
    reportedTypes.has(draft.event_type) ? { ...draft, actor: FIRST_LOAD } : draft,
  )
}
