import type { Domain } from '../core/domain.ts'
import type { EventDraft } from '../model/event.ts'
import type { MirroredCollection } from '../model/mirror.ts'
import type { CollectionRow } from '../model/rows.ts'
import { buildCollectionRows, collectionFacts, diffCollection } from './collections.ts'
import { type Change, diff } from './diff.ts'
import type { RowStamp } from './stamp.ts'

export const MIRROR_ACTOR = 'registry:community_mirror'

/**
 * Diffs the collections of mirrors with the stored ones. A collection keeps its rid whichever
 * mirror lists it; one that no mirror lists anymore is removed.
 */
export function diffMirroredCollections(
  listed: readonly MirroredCollection[],
  before: readonly CollectionRow[],
  stamp: RowStamp,
): Change<CollectionRow>[] {
  const owners = new Set([...listed, ...before].map(row => row.publisher_domain))
  const after = [...owners].flatMap(domain => {
    const entries = listed.filter(row => row.publisher_domain === domain)
    const rows = before.filter(row => row.publisher_domain === domain)
    return buildCollectionRows(
      domain as Domain,
      entries.map(({ entry }) => entry),
      rows,
      stamp,
    )
  })
  return diff(
    [...before],
    after.map(row => (row.status === 'active' ? { ...row, source: 'contributed' } : row)),
    row => row.collection_rid,
    collectionFacts,
  )
}

export function createMirrorEvents(changes: readonly Change<CollectionRow>[]): EventDraft[] {
  return changes.flatMap(diffCollection).map(event => ({ ...event, actor: MIRROR_ACTOR }))
}
