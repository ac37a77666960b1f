import type { AccountStamp } from '../../accounts/stamp.ts'
import {
  countStrangerItems,
  recordSecondCaller,
  recordStrangerItem,
  removeStrangerItem,
  takeNames,
} from '../../accounts/stranger-items.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { inList } from '../../store/in-list.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'
import { addDomains } from './frontier.ts'

/** Share of the frontier that names may fill that strangers looked up. */
const OPEN_SHARE = 0.9
/**
 * Rounds in which names give way for those of one commit: each takes as many as are missing, and those that turn out to
 * be somebody's stay.
 */
const ROUNDS_MAX = 4

export interface LookedUpContext extends AccountStamp {
  frontierMax: number
  /** Domains that were taken down; nothing about them is applied. */
  takenDown: TakenDown
  /** Private rows: they say which names strangers looked up. */
  accounts: Sqlite
}

/**
 * Adds names that strangers looked up, by the caller who did. Where the share of the frontier that is open to them is
 * full, the oldest of the caller with most give way, until the new ones fit: of the new ones too, if their caller has
 * most. A name that was ever found, or that somebody else wants crawled, stays, and counts as no caller's from then on;
 * one that a second caller looked up stays as theirs.
 */
export async function addLookedUp(
  db: Database,
  callers: ReadonlyMap<string, string>,
  { now, seq, frontierMax, takenDown, accounts }: LookedUpContext,
): Promise<void> {
  const named = [...callers].filter(([domain]) => !takenDown.covers(domain))
  const known = await findInFrontier(db, [...callers.keys()])
  const fresh = new Map(named.filter(([domain]) => !known.has(domain)))
  accounts.transaction(() => {
    for (const [key, caller] of named) {
      if (fresh.has(key)) recordStrangerItem(accounts, { kind: 'name', key }, caller, { now, seq })
      else if (caller !== '') recordSecondCaller(accounts, key, caller, { now, seq })
    }
  })
  const total = await countNames(db)
  const max = Math.max(total, Math.floor(frontierMax * OPEN_SHARE))
  const gone = await makeRoom(db, fresh, total + fresh.size - max, { now, seq, accounts })
  const wanted = named.filter(([domain]) => !gone.has(domain))
  const newcomers = wanted.map(([domain]) => ({ domain, why: 'demanded' as const }))
  const added = new Set(await addDomains(db, newcomers, { now, seq, max }))
  accounts.transaction(() => {
    for (const key of fresh.keys()) {
      if (!added.has(key)) removeStrangerItem(accounts, { kind: 'name', key })
    }
  })
}

/** Makes room for `missing` names; returns what gave way: names of the frontier, and new ones that are not added. */
async function makeRoom(
  db: Database,
  fresh: ReadonlyMap<string, string>,
  missing: number,
  { now, seq, accounts }: Pick<LookedUpContext, 'now' | 'seq' | 'accounts'>,
): Promise<Set<string>> {
  const gone = new Set<string>()
  for (let round = 0; round < ROUNDS_MAX && gone.size < missing; round++) {
    const taken = takeNames(accounts, missing - gone.size, { now, seq })
    const stored = taken.filter(domain => !fresh.has(domain))
    const removed = await removeUnfound(db, stored, seq)
    for (const domain of [...taken.filter(domain => fresh.has(domain)), ...removed])
      gone.add(domain)
  }
  return gone
}

/** Selects names that nobody but strangers asked for, and of which no file was ever found. */
const UNFOUND = `
select domain from frontier f where why = 'demanded'
  and not exists (select 1 from crawl_state s where location = f.domain and (succeeded_at is not null or requested))
  and not exists (select 1 from documents where location = f.domain)
  and not exists (select 1 from entries e where e.domain = f.domain and source <> 'enriched')
  and not exists (select 1 from shown_crawl_requests r where r.domain = f.domain)
  and not exists (select 1 from depends_on where location = f.domain and subject <> f.domain)
  and not exists (select 1 from depends_on where subject = f.domain and location <> f.domain)`

/** Rows of a name that was never found: the results of attempts, and what its answers are read from. */
const ROWS_OF_NAMES = [
  ['frontier', 'domain'],
  ['crawl_state', 'location'],
  ['depends_on', 'subject'],
] as const

/** Removes those of these names from the frontier of which nothing was found, and returns them. */
async function removeUnfound(
  db: Database,
  candidates: readonly string[],
  seq: number,
): Promise<string[]> {
  if (candidates.length === 0) return []
  const named = inList('domain', candidates)
  const rows = await db.all<{ domain: string }>(`${UNFOUND} and ${named.condition}`, named.keys)
  if (rows.length === 0) return []
  const domains = rows.map(({ domain }) => domain)
  for (const [table, column] of ROWS_OF_NAMES) {
    const { condition, keys } = inList(column, domains)
    await db.write('delete from', table, `where ${condition}`, keys)
  }
  db.notes?.forgetAttempts()
  await recordChanges(db, seq, { 'gone freshness': domains })
  return domains
}

/**
 * Records that names may give way for which nothing says so: those of an earlier version, and those of an index that was
 * restored without the record.
 */
export async function recordLookedUp(
  db: Database,
  accounts: Sqlite,
  stamp: AccountStamp,
): Promise<void> {
  const recorded = countStrangerItems(accounts, 'name')
  const { n } = await db.oneOrThrow<{ n: number }>(
    `select count(*) as n from frontier where why = 'demanded'`,
  )
  if (n <= recorded) return
  const rows = await db.all<{ domain: string }>(`${UNFOUND} order by domain`)
  if (rows.length <= recorded) return
  accounts.transaction(() => {
    for (const { domain } of rows) {
      recordStrangerItem(accounts, { kind: 'name', key: domain }, '', stamp)
    }
  })
}

async function findInFrontier(db: Database, domains: readonly string[]): Promise<Set<string>> {
  const { condition, keys } = inList('domain', domains)
  const rows = await db.all<{ domain: string }>(
    `select domain from frontier where ${condition}`,
    keys,
  )
  return new Set(rows.map(({ domain }) => domain))
}

async function countNames(db: Database): Promise<number> {
  return (await db.oneOrThrow<{ n: number }>('select count(*) as n from frontier')).n
}
