import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

const totals = declareCache(() => new SnapshotCache<number>(1_000))

/** Counts the rows of a snapshot that match a query, as `total`. */
export function countOnce(
  snapshot: Snapshot,
  sql: string,
  asked: Readonly<Record<string, string | null>> = {},
): Promise<number> {
  return totals(snapshot).get(JSON.stringify([sql, asked]), async () => {
    const row = await snapshot.db.one<{ total: number }>(sql, asked)
    return row?.total ?? 0
  })
}

/** Counts the publishers that the brake holds, once a snapshot. */
export function countHeld(snapshot: Snapshot): Promise<number> {
  return countOnce(snapshot, 'select count(*) as total from held')
}
