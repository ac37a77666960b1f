import { requireValue } from '../../core/present.ts'
import { createCollectionMerged, createPropertyMerged } from '../../diff/merge-events.ts'
import type { CollectionRow, PropertyRow } from '../../model/rows.ts'
import type { OperationOf } from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'

/** A record leads to another one from now on. */
export type Merge = OperationOf<'property.merge' | 'collection.merge'>

/** Columns that a merge changes, and the words for each kind of record. */
export const mergeKinds = {
  'property.merge': {
    kind: 'property',
    table: 'properties',
    rid: 'property_rid',
    count: 'property_count',
    createEvent: (merged: MergedRecord, row: unknown) =>
      createPropertyMerged(merged, row as PropertyRow),
  },
  'collection.merge': {
    kind: 'collection',
    table: 'collections',
    rid: 'collection_rid',
    count: 'collection_count',
    createEvent: (merged: MergedRecord, row: unknown) =>
      createCollectionMerged(merged, row as CollectionRow),
  },
} as const

export interface MergedRecord {
  alias_rid: string
  canonical_rid: string
  evidence: string | undefined
}

/** Columns of both kinds of records. */
export type MergeRow = Pick<
  PropertyRow | CollectionRow,
  'publisher_domain' | 'identifiers' | 'status'
>

/** Loads the records with these rids, by rid. */
export async function loadMergeRows(
  db: Database,
  op: Merge['op'],
  rids: readonly string[],
): Promise<Map<string, MergeRow & { classification?: string }>> {
  const { table, rid } = mergeKinds[op]
  const rows = await db.all<Record<string, string> & MergeRow>(
    `select * from ${table} where ${rid} in (select value from json_each($rids))`,
    { rids: JSON.stringify(rids) },
  )
  return new Map(rows.map(row => [requireValue(row[rid], rid), row]))
}
