import type { AccountStamp } from '../../accounts/stamp.ts'
import {
  countStrangerItems,
  findOldestOfLargest,
  recordStrangerItem,
  removeStrangerItem,
} from '../../accounts/stranger-items.ts'
import { toHistoryKey, toRevisionKey } from '../../serving/document-value.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { brandRows, loadEntries, removeEntries } from '../../store/entries.ts'
import { inList } from '../../store/in-list.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { isOpenToFindings } from './enrichments.ts'

/** Counts the brands that are known by enrichment. */
export async function countEnriched(index: Database): Promise<number> {
  const row = await index.oneOrThrow<{ n: number }>(
    `select count(*) as n from entries where entity = 'brand' and source = 'enriched'`,
  )
  return row.n
}

/**
 * Chooses the enriched brands that give way to those that `added` are about, where more than `max` would be stored: the
 * oldest of the caller with most. One that has become somebody's own stays, and no longer counts as a caller's; one that
 * the same batch names in `kept` stays as well.
 */
export async function chooseEvicted(
  { index, accounts }: { index: Database; accounts: Sqlite },
  { added, kept }: { added: readonly string[]; kept: ReadonlySet<string> },
  max: number,
): Promise<string[]> {
  const known = await loadEntries(index, 'brand', added)
  const evicted: string[] = []
  let excess =
    (await countEnriched(index)) + added.filter(domain => !known.has(domain)).length - max
  while (excess > 0) {
    const domain = findOldestOfLargest(accounts, 'brand')
    if (domain === undefined || kept.has(domain)) break
    removeStrangerItem(accounts, { kind: 'brand', key: domain })
    if (await isStillFound(index, domain)) {
      evicted.push(domain)
      excess--
    }
  }
  return evicted
}

/**
 * Records that enriched brands may give way for which nothing says so: those of an earlier version, and those of an index
 * that was restored without the record.
 */
export async function recordEnriched(
  index: Database,
  accounts: Sqlite,
  stamp: AccountStamp,
): Promise<void> {
  if ((await countEnriched(index)) <= countStrangerItems(accounts, 'brand')) return
  const rows = await index.all<{ domain: string }>(
    `select domain from entries where entity = 'brand' and source = 'enriched' order by domain`,
  )
  accounts.transaction(() => {
    for (const { domain } of rows) {
      recordStrangerItem(accounts, { kind: 'brand', key: domain }, '', stamp)
    }
  })
}

/** Tells whether the registry has all that it says of a brand from enrichments. */
async function isStillFound(index: Database, domain: string): Promise<boolean> {
  const entry = (await loadEntries(index, 'brand', [domain])).get(domain)
  if (entry === undefined || !isOpenToFindings(entry)) return false
  const person = `select 1 from revisions where entity = 'brand' and domain = $domain
    and editor_id <> 'system' limit 1`
  return (await index.one(person, { domain })) === undefined
}

/** Deletes enriched brands with their revisions. */
export async function removeEnriched(
  db: Database,
  domains: readonly string[],
  { seq }: { seq: number },
): Promise<void> {
  const { condition, keys } = inList('domain', domains)
  const where = `where entity = 'brand' and ${condition}`
  const revisions = await db.all<{ domain: string; revision_number: number }>(
    `select domain, revision_number from revisions ${where}`,
    keys,
  )
  const histories = domains.map(domain => toHistoryKey('brand', domain))
  const numbered = revisions.map(row => toRevisionKey('brand', row.domain, row.revision_number))
  const shown = await brandRows.read(db, domains)
  const enriched = domains.filter(domain => shown.get(domain)?.source === 'enriched')
  await brandRows.replace(db, new Map(enriched.map(domain => [domain, undefined])))
  await removeEntries(db, 'brand', domains)
  await db.write('delete from', 'revisions', where, keys)
  await recordChanges(db, seq, {
    brand: domains,
    'gone revision': [...histories, ...numbered],
    'gone revision_content': numbered,
    'gone entry': histories,
  })
}
