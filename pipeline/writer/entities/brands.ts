import type { Instant } from '../../core/clock.ts'
import { type Domain, parseDomain } from '../../core/domain.ts'
import { buildBrandRow } from '../../diff/brand-row.ts'
import { isSameValue } from '../../diff/diff.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { BrandRow, EntryRow } from '../../model/rows.ts'
import { deriveBrand } from '../../resolve/brand.ts'
import { pending } from '../../resolve/derivation.ts'
import { type ClaimedEntry, deriveEntryHouse, type EntryHouse } from '../../resolve/entry-house.ts'
import type { Database } from '../../store/database.ts'
import { loadClaimingHouses, loadLiveEntries, toBrandRow } from '../../store/entries.ts'
import { deleteRows } from '../../store/row-writes.ts'
import type { Mentions } from '../crawl/mentions.ts'
import type { Files } from '../derivation-files.ts'
import { type Derived, deriveAll } from '../derivation-runner.ts'

type BrandAnswer =
  ReturnType<typeof deriveBrand> extends Generator<unknown, infer Answer, never> ? Answer : never

export interface BrandChanges {
  derived: Derived<Domain, BrandAnswer>[]
  domains: Domain[]
  mentions: Mentions[]
}

/**
 * Derives brands again and writes the differences; where no document decides the brand of a domain,
 * its entry does, with the house that claims it. Brands have no events in the feed.
 */
export async function updateBrands(
  db: Database,
  domains: readonly Domain[],
  files: Files,
  { now, seq }: RowStamp,
): Promise<BrandChanges> {
  const derived = await deriveAll(domains, domain => deriveBrand(domain, now), files)
  const settled = derived.flatMap(({ subject: domain, answer }) =>
    answer === pending ? [] : [{ domain, facts: answer }],
  )
  const before = await loadBrands(
    db,
    settled.map(({ domain }) => domain),
  )
  const open = settled.flatMap(({ domain, facts }) => (facts ? [] : [domain]))
  const entries = await loadLiveEntries(db, 'brand', open)
  const houses = await deriveEntryHouses(db, entries, files, now)
  const touched = settled.flatMap(({ domain, facts }) => {
    const old = before.get(domain)
    const entry = entries.get(domain)
    const row = facts
      ? buildBrandRow(domain, facts, seq)
      : entry && toBrandRow(entry, seq, houses.get(domain)?.answer)
    return isSame(old, row) ? [] : [{ domain, row }]
  })
  await deleteRows(
    db,
    'brands',
    'domain',
    touched.map(({ domain }) => domain),
  )
  await db.insert(
    'brands',
    touched.flatMap(({ row }) => row ?? []),
  )
  return {
    derived: derived.map(own => unite(own, houses.get(own.subject))),
    domains: touched.map(({ domain }) => domain),
    mentions: settled.map(({ domain, facts }) => ({
      rule: 'brand',
      subject: domain,
      domains: facts?.mentions ?? [],
    })),
  }
}

/** Derives which house each saved brand belongs to, by domain; one that no house claims is left out. */
async function deriveEntryHouses(
  db: Database,
  entries: ReadonlyMap<string, EntryRow>,
  files: Files,
  now: Instant,
): Promise<Map<Domain, Derived<ClaimedEntry, EntryHouse | undefined>>> {
  const claims = await loadClaimingHouses(db, [...entries.keys()])
  const claimed = [...claims].map(([domain, claiming]) => {
    const named = parseDomain(entries.get(domain)?.document.house_domain)
    return { domain, named, claiming }
  })
  const derived = await deriveAll(claimed, entry => deriveEntryHouse(entry, now), files)
  return new Map(derived.map(house => [house.subject.domain, house]))
}

/** Unites the dependencies of a brand with those of its house: its row follows from both. */
function unite<Answer>(
  own: Derived<Domain, Answer>,
  house: Derived<unknown, unknown> | undefined,
): Derived<Domain, Answer> {
  if (house === undefined) return own
  const times = [own.wakesAt, house.wakesAt].filter(at => at !== undefined)
  const wakesAt = times.length === 0 ? undefined : Math.min(...times)
  return { ...own, asked: [...own.asked, ...house.asked], wakesAt }
}

function isSame(old: BrandRow | undefined, row: BrandRow | undefined): boolean {
  if (old === undefined || row === undefined) return old === row
  return isSameValue({ ...old, seq: 0 }, { ...row, seq: 0 })
}

async function loadBrands(
  db: Database,
  domains: readonly Domain[],
): Promise<Map<string, BrandRow>> {
  if (domains.length === 0) return new Map()
  const rows = await db.all<BrandRow>(
    `select * from brands where domain in (select value from json_each($domains))`,
    { domains: JSON.stringify(domains) },
  )
  return new Map(rows.map(row => [row.domain, row]))
}
