import { isComparable } from '../core/structural-hash.ts'
import type { EventDraft, EventType } from '../model/event.ts'
import type { PropertyRow, PublisherRow } from '../model/rows.ts'
import type { Change } from './diff.ts'
import { truncateLists } from './truncate-lists.ts'
import type { Turnover } from './turnover.ts'

/** Columns whose change is reported. */
export const propertyFacts = [
  'property_type',
  'name',
  'identifiers',
  'tags',
  'supported_channels',
  'categories',
  'category_taxonomy',
  'property_id',
  'source',
  'inline_only',
] as const satisfies (keyof PropertyRow)[]

export function diffProperty(change: Change<PropertyRow>): EventDraft[] {
  if (change.kind === 'removed') return []
  const { row } = change
  const event = (event_type: EventDraft['event_type'], payload: object): EventDraft => ({
    event_type,
    entity_id: row.property_rid,
    payload: { property_rid: row.property_rid, publisher_domain: row.publisher_domain, ...payload },
  })
  if (change.kind === 'added') {
    const created = event('property.created', toPropertyPayload(row))
    return row.status === 'stale' ? [created, event(...draftStale(row))] : [created]
  }
  const changed = change.fields.filter(field =>
    (propertyFacts as readonly string[]).includes(field),
  )
  const statusChanged = change.old.status !== row.status
  return [
    ...(changed.length > 0
      ? [event('property.updated', { ...toPropertyPayload(row), changed_fields: changed })]
      : []),
    ...(statusChanged
      ? [row.status === 'stale' ? event(...draftStale(row)) : event(...draftReactivated(row))]
      : []),
  ]
}

/** Drafts the event of a stale property, also for one that first appears in an invalid file. */
function draftStale({ stale_reason }: PropertyRow): ['property.stale', object] {
  return ['property.stale', { reason: stale_reason }]
}

function draftReactivated({ changed_at }: PropertyRow): ['property.reactivated', object] {
  return ['property.reactivated', { reactivated_at: changed_at }]
}

export function toPropertyPayload(row: PropertyRow) {
  return {
    classification: row.classification,
    source: row.source,
    identifiers: row.identifiers,
    property: {
      property_rid: row.property_rid,
      publisher_domain: row.publisher_domain,
      ...(row.property_id === null ? {} : { property_id: row.property_id }),
      property_type: row.property_type,
      name: row.name,
      identifiers: row.identifiers,
      tags: row.tags,
      supported_channels: row.supported_channels,
      ...(row.categories ? { categories: row.categories } : {}),
      ...(row.category_taxonomy ? { category_taxonomy: row.category_taxonomy } : {}),
      ...(row.inline_only && { inline_only: true }),
    },
  }
}

export function diffPublisher(
  before: PublisherRow | undefined,
  after: PublisherRow,
  turnover: Turnover,
): EventDraft[] {
  const changed = listChangedFields(before?.fields ?? {}, after.fields)
  if (before !== undefined && changed.length === 0) return []
  const payload = stripNulls({
    publisher_domain: after.domain,
    agent_count: after.agent_count,
    property_count: after.property_count,
    collection_count: after.collection_count,
    format_count: after.format_count,
    placement_count: after.placement_count,
    changed_fields: changed,
    ...truncateLists({ ...turnover }),
    source: 'adagents_json',
    discovery_method: after.discovery_method,
    manager_domain: after.manager_domain,
  })
  const event_type = before ? 'publisher.adagents_changed' : 'publisher.adagents_discovered'
  return [{ event_type, entity_id: after.domain, payload }]
}

function listChangedFields(
  before: Record<string, string>,
  after: Record<string, string>,
): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => isOther(before[name], after[name]))
    .sort()
}

/**
 * Compares hashes; one of an older scheme never counts as a difference, so that an upgrade makes no
 * events.
 */
function isOther(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after
  return before !== after && isComparable(before, after)
}

export function stripNulls<Value extends object>(value: Value): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
}

/** Actor of the events about a publisher's first crawl. */
const FIRST_LOAD = 'pipeline:backfill'
const reportedTypes: ReadonlySet<EventType> = new Set<EventType>([
  'property.created',
  'collection.created',
  'authorization.granted',
])

/**
 * Marks the events of the first file of a publisher. Its content may be years old: readers that want only
 * changes can recognize it by its actor.
 */
export function markFirstLoad(drafts: readonly EventDraft[]): EventDraft[] {
  return drafts.map(draft =>
    reportedTypes.has(draft.event_type) ? { ...draft, actor: FIRST_LOAD } : draft,
  )
}
