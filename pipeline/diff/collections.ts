import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { CollectionEntry } from '../model/documents/index.ts'
import type { EventDraft } from '../model/event.ts'
import type { CollectionRow } from '../model/rows.ts'
import { type Change, isSameValue } from './diff.ts'
import { type Merges, mergeCollections, noMerges, uniteIdentifiers } from './merges.ts'
import type { RowStamp } from './stamp.ts'

/** Columns whose change is reported. */
export const collectionFacts = [
  'name',
  'kind',
  'identifiers',
  'collection',
  'source',
  'status',
] as const satisfies (keyof CollectionRow)[]

/**
 * Builds the rows of a publisher's collections from the current ones. A collection that is no longer listed
 * is removed and keeps its rid, also if it comes back.
 */
export function buildCollectionRows(
  domain: Domain,
  entries: readonly CollectionEntry[],
  before: readonly CollectionRow[],
  stamp: RowStamp,
  merges = noMerges,
): CollectionRow[] {
  const old = new Map(before.map(row => [row.collection_id, row]))
  const listed = new Map(
    mergeCollections(entries, before, merges).map(entry => [
      entry.collection_id,
      buildCollectionRow(domain, entry, old.get(entry.collection_id), stamp, merges),
    ]),
  )
  const unlisted = before.filter(row => !listed.has(row.collection_id))
  return [...listed.values(), ...unlisted.map(row => toRemovedRow(row, stamp))]
}

export function toRemovedRow(row: CollectionRow, { now, seq }: RowStamp): CollectionRow {
  return row.status === 'removed' ? row : { ...row, status: 'removed', changed_at: toIso(now), seq }
}

function buildCollectionRow(
  domain: Domain,
  entry: CollectionEntry,
  old: CollectionRow | undefined,
  { now, seq, mint }: RowStamp,
  { mergedRids }: Merges,
): CollectionRow {
  const former = old && mergedRids.has(old.collection_rid) ? old.identifiers : []
  return {
    collection_rid: old?.collection_rid ?? mint(),
    publisher_domain: domain,
    collection_id: entry.collection_id,
    name: entry.name,
    kind: entry.kind,
    identifiers: uniteIdentifiers(former, listIdentifiers(entry)),
    collection: toCollection(entry),
    source: 'authoritative',
    status: 'active',
    created_at: old?.created_at ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }
}

/** Converts an entry to a collection as its publisher wrote it. */
export function toCollection(entry: CollectionEntry): CollectionRow['collection'] {
  const { manifest, ...facts } = entry
  return { ...manifest, ...facts, distribution: toDistribution(entry) }
}

/** Lists where a collection is distributed, as a set: the written order means nothing. */
function listIdentifiers({ distribution }: CollectionEntry): CollectionRow['identifiers'] {
  const all = distribution.flatMap(({ publisher_domain, identifiers }) =>
    identifiers.map(({ type, value }) => ({ publisher_domain, type, value })),
  )
  return uniteIdentifiers(all)
}

function toDistribution(entry: CollectionEntry): CollectionEntry['distribution'] {
  const distributions = new Map<string, CollectionEntry['distribution'][number]['identifiers']>()
  for (const { publisher_domain, ...identifier } of listIdentifiers(entry)) {
    distributions.set(publisher_domain, [
      ...(distributions.get(publisher_domain) ?? []),
      identifier,
    ])
  }
  return [...distributions].map(([publisher_domain, identifiers]) => ({
    publisher_domain,
    identifiers,
  }))
}

/**
 * Creates the events of a changed collection. One that comes back was known before, so it is updated, not
 * created.
 */
export function diffCollection(change: Change<CollectionRow>): EventDraft[] {
  if (change.kind === 'removed') return []
  const { row } = change
  const event = (event_type: EventDraft['event_type'], more: object = {}): EventDraft[] => [
    {
      event_type,
      entity_id: row.collection_rid,
      payload: { ...toCollectionPayload(row), ...more },
    },
  ]
  if (change.kind === 'added') return event('collection.created')
  if (row.status === 'removed') return event('collection.removed')
  return event('collection.updated', { changed_fields: listChangedFields(change.old, row) })
}

/** Lists the changed fields by the names that readers know; `source` and `status` belong to the record. */
function listChangedFields(old: CollectionRow, row: CollectionRow): string[] {
  const names = new Set([...Object.keys(old.collection), ...Object.keys(row.collection)])
  const changed = [...names].filter(
    name => !isSameValue(old.collection[name], row.collection[name]),
  )
  const ofRecord = (['source', 'status'] as const).filter(name => old[name] !== row[name])
  return [...new Set([...changed, ...ofRecord])].sort()
}

export function toCollectionPayload(row: CollectionRow): Record<string, unknown> {
  const { collection_rid, publisher_domain, collection_id, name, kind, source, status } = row
  const facts = { collection_rid, publisher_domain, collection_id, name, kind, source, status }
  return { ...facts, identifiers: row.identifiers, collection: row.collection }
}
