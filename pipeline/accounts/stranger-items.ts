import { toIso } from '../core/clock.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { AccountStamp } from './stamp.ts'

/** Item that is stored because a stranger asked for it. */
interface StrangerItem {
  kind: 'brand' | 'client' | 'name' | 'name_again'
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

/** Records who looked a name up beside the caller for whom it is stored; one is enough. */
export function recordSecondCaller(
  db: Sqlite,
  key: string,
  caller: string,
  { now, seq }: AccountStamp,
): void {
  db.run(
    `insert into stranger_items (kind, key, caller, since, seq)
     select 'name_again', key, $caller, $since, $seq from stranger_items
     where kind = 'name' and key = $key and caller <> $caller on conflict do nothing`,
    { key, caller, since: toIso(now), seq },
  )
}

/** Ends that something may give way, because it is gone or has become somebody's own. */
export function removeStrangerItem(db: Sqlite, { kind, key }: StrangerItem): void {
  db.run('delete from stranger_items where kind = $kind and key = $key', { kind, key })
}

/** Counts what strangers have of a kind. */
export function countStrangerItems(db: Sqlite, kind: StrangerItem['kind']): number {
  const sql = 'select coalesce(sum(items), 0) as n from stranger_shares where kind = $kind'
  return db.oneOrThrow<{ n: number }>(sql, { kind }).n
}

/**
 * Finds what gives way first where a kind has reached its limit: the oldest item of the caller with most, as in
 * `CallerShares` of the API. Undefined where there is none.
 */
export function findOldestOfLargest(db: Sqlite, kind: StrangerItem['kind']): string | undefined {
  return db.one<{ key: string }>(
    `select key from stranger_items where kind = $kind and caller = (
       select caller from stranger_shares where kind = $kind order by items desc, rowid limit 1)
     order by rowid limit 1`,
    { kind },
  )?.key
}

/** Names that one commit looks at, of which those that a second caller wants are stored for that one from then on. */
const NAMES_LOOKED_AT_MAX = 10_000

/** Takes up to `max` names out that nobody else looked up, each the one that gives way next. */
export function takeNames(db: Sqlite, max: number, stamp: AccountStamp): string[] {
  return db.transaction(() => {
    const taken: string[] = []
    for (let looked = 0; looked < NAMES_LOOKED_AT_MAX && taken.length < max; looked++) {
      const key = findOldestOfLargest(db, 'name')
      if (key === undefined) break
      removeStrangerItem(db, { kind: 'name', key })
      const second = db.one<{ caller: string }>(
        `delete from stranger_items where kind = 'name_again' and key = $key returning caller`,
        { key },
      )
      if (second === undefined) taken.push(key)
      else recordStrangerItem(db, { kind: 'name', key }, second.caller, stamp)
    }
    return taken
  })
}
