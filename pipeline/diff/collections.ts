import { isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { CollectionEntry } from '../model/documents.ts'
import type { EventDraft } from '../model/event.ts'
import type { CollectionRow } from '../model/rows.ts'
import { type Change, sameValue } from './diff.ts'
import { type Merges, noMerges, ownCollections, united } from './merges.ts'
import type { Stamp } from './rows.ts'

/** Columns whose change means something to a reader. */
export const collectionFacts = [
  'name',
  'kind',
  'identifiers',
  'collection',
  'source',
  'status',
] as const satisfies (keyof CollectionRow)[]

/**
 * The rows of a publisher's collections, given those that stand. One that is listed no more is
 * removed and keeps its rid; should it come back it has the same one.
 */
export function collectionRowsOf(
  domain: Domain,
  entries: readonly CollectionEntry[],
  before: readonly CollectionRow[],
  stamp: Stamp,
  merges = noMerges,
): CollectionRow[] {
  const old = new Map(before.map(row => [row.collection_id, row]))
  const listed = new Map(
    ownCollections(entries, before, merges).map(entry => [
      entry.collection_id,
      collectionRowOf(domain, entry, old.get(entry.collection_id), stamp, merges),
    ]),
  )
  const unlisted = before.filter(row => !listed.has(row.collection_id))
  return [...listed.values(), ...unlisted.map(row => removedRowOf(row, stamp))]
}

export function removedRowOf(row: CollectionRow, { now, seq }: Stamp): CollectionRow {
  return row.status === 'removed' ? row : { ...row, status: 'removed', changed_at: isoOf(now), seq }
}

function collectionRowOf(
  domain: Domain,
  entry: CollectionEntry,
  old: CollectionRow | undefined,
  { now, seq, mint }: Stamp,
  { whole }: Merges,
): CollectionRow {
  const kept = old && whole.has(old.collection_rid) ? old.identifiers : []
  return {
    collection_rid: old?.collection_rid ?? mint(),
    publisher_domain: domain,
    collection_id: entry.collection_id,
    name: entry.name,
    kind: entry.kind,
    identifiers: united(kept, identifiersOf(entry)),
    collection: collectionOf(entry),
    source: 'authoritative',
    status: 'active',
    created_at: old?.created_at ?? isoOf(now),
    changed_at: isoOf(now),
    seq,
  }
}

/** A collection as its publisher wrote it. */
export function collectionOf(entry: CollectionEntry): CollectionRow['collection'] {
  const { manifest, ...facts } = entry
  return { ...manifest, ...facts, distribution: distributionOf(entry) }
}

/** Where a collection is distributed is a set: the order in which it is written says nothing. */
function identifiersOf({ distribution }: CollectionEntry): CollectionRow['identifiers'] {
  const all = distribution.flatMap(({ publisher_domain, identifiers }) =>
    identifiers.map(({ type, value }) => ({ publisher_domain, type, value })),
  )
  return united(all)
}

function distributionOf(entry: CollectionEntry): CollectionEntry['distribution'] {
  const places = new Map<string, CollectionEntry['distribution'][number]['identifiers']>()
  for (const { publisher_domain, ...identifier } of identifiersOf(entry)) {
    places.set(publisher_domain, [...(places.get(publisher_domain) ?? []), identifier])
  }
  return [...places].map(([publisher_domain, identifiers]) => ({ publisher_domain, identifiers }))
}

/** One that comes back was known before, so it is updated, not created. */
export function collectionEvents(change: Change<CollectionRow>): EventDraft[] {
  if (change.kind === 'removed') return []
  const { row } = change
  const event = (event_type: EventDraft['event_type'], more: object = {}): EventDraft[] => [
    { event_type, entity_id: row.collection_rid, payload: { ...collectionPayload(row), ...more } },
  ]
  if (change.kind === 'added') return event('collection.created')
  if (row.status === 'removed') return event('collection.removed')
  return event('collection.updated', { changed_fields: changedFields(change.old, row) })
}

/** The fields of the collection as a reader knows them; `source` and `status` are those of the record. */
function changedFields(old: CollectionRow, row: CollectionRow): string[] {
  const names = new Set([...Object.keys(old.collection), ...Object.keys(row.collection)])
  const changed = [...names].filter(name => !sameValue(old.collection[name], row.collection[name]))
  const ofRecord = (['source', 'status'] as const).filter(name => old[name] !== row[name])
  return [...new Set([...changed, ...ofRecord])].sort()
}

export function collectionPayload(row: CollectionRow): Record<string, unknown> {
  const { collection_rid, publisher_domain, collection_id, name, kind, source, status } = row
  const facts = { collection_rid, publisher_domain, collection_id, name, kind, source, status }
  return { ...facts, identifiers: row.identifiers, collection: row.collection }
}
