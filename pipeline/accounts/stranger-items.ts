import { toIso } from '../core/clock.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { AccountStamp } from './stamp.ts'

/** Item that is stored because a stranger asked for it. */
interface StrangerItem {
  kind: 'brand' | 'client'
  key: string
}

/** Records for which stranger something is stored now; nothing changes where it is stored already. */
export function recordStrangerItem(
  db: Sqlite,
  { kind, key }: StrangerItem,
  caller: string,
  { now, seq }: AccountStamp,
): void {
  db.run(
    `insert into stranger_items (kind, key, caller, since, seq)
     values ($kind, $key, $caller, $since, $seq) on conflict do nothing`,
    { kind, key, caller, since: toIso(now), seq },
  )
}

/** Ends that something may give way, because it is gone or has become somebody's own. */
export function removeStrangerItem(db: Sqlite, { kind, key }: StrangerItem): void {
  db.run('delete from stranger_items where kind = $kind and key = $key', { kind, key })
}

/** Counts what strangers have of a kind. */
export function countStrangerItems(db: Sqlite, kind: StrangerItem['kind']): number {
  const sql = 'select count(*) as n from stranger_items where kind = $kind'
  return db.oneOrThrow<{ n: number }>(sql, { kind }).n
}

/**
 * Finds what gives way first where a kind has reached its limit: the oldest item of the caller with most, as in
 * `CallerShares` of the API. Undefined where there is none.
 */
export function findOldestOfLargest(db: Sqlite, kind: StrangerItem['kind']): string | undefined {
  return db.one<{ key: string }>(
    `select key from stranger_items where kind = $kind and caller = (
       select caller from stranger_items where kind = $kind
       group by caller order by count(*) desc, min(rowid) limit 1)
     order by rowid limit 1`,
    { kind },
  )?.key
}
