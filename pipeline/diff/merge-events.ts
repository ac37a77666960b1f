import type { EventDraft } from '../model/event.ts'
import type { CollectionRow, PropertyRow } from '../model/rows.ts'
import { toCollectionPayload } from './collections.ts'
import { toPropertyPayload } from './events.ts'

/** Actor of events that an operator’s decision causes. */
const OPERATOR = 'registry:operator'

interface MergedRecords {
  alias_rid: string
  canonical_rid: string
  evidence: string | undefined
}

/** Drafts `property.merged` with the facts of `row`, the canonical property. */
export function createPropertyMerged(merged: MergedRecords, row: PropertyRow): EventDraft {
  const { property_rid, publisher_domain } = row
  const facts = { property_rid, publisher_domain, ...toPropertyPayload(row) }
  return draftMerged('property.merged', merged, facts)
}

/** Drafts `collection.merged` with the facts of `row`, the canonical collection. */
export function createCollectionMerged(merged: MergedRecords, row: CollectionRow): EventDraft {
  return draftMerged('collection.merged', merged, toCollectionPayload(row))
}

/**
 * Drafts the event of a merge. Its payload has the canonical record's facts: a replica applies it to both
 * of its records.
 */
function draftMerged(
  event_type: 'property.merged' | 'collection.merged',
  { alias_rid, canonical_rid, evidence }: MergedRecords,
  facts: object,
): EventDraft {
  const withEvidence = evidence === undefined ? {} : { evidence }
  const payload = { ...facts, alias_rid, canonical_rid, ...withEvidence }
  return { event_type, entity_id: alias_rid, payload, actor: OPERATOR }
}
