import type { EventDraft } from '../model/event.ts'
import type { CollectionRow, PropertyRow } from '../model/rows.ts'
import { collectionPayload } from './collections.ts'
import { propertyPayload } from './events.ts'

/** Actor of the events that follow from a decision of the registry's operator. */
const OPERATOR = 'registry:operator'

interface MergedRecords {
  alias_rid: string
  canonical_rid: string
  evidence: string | undefined
}

export function propertyMerged(merged: MergedRecords, row: PropertyRow): EventDraft {
  const { property_rid, publisher_domain } = row
  const facts = { property_rid, publisher_domain, ...propertyPayload(row) }
  return mergedEvent('property.merged', merged, facts)
}

export function collectionMerged(merged: MergedRecords, row: CollectionRow): EventDraft {
  return mergedEvent('collection.merged', merged, collectionPayload(row))
}

/** A replica lays the payload over the two records that it has: it tells the canonical one's facts. */
function mergedEvent(
  event_type: 'property.merged' | 'collection.merged',
  { alias_rid, canonical_rid, evidence }: MergedRecords,
  facts: object,
): EventDraft {
  const said = evidence === undefined ? {} : { evidence }
  const payload = { ...facts, alias_rid, canonical_rid, ...said }
  return { event_type, entity_id: alias_rid, payload, actor: OPERATOR }
}
