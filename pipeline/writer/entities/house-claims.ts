import type { Domain } from '../../core/domain.ts'
import type { BrandDocument } from '../../model/documents/index.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import { isUrl } from '../../model/observation.ts'
import { listClaimed } from '../../resolve/entry-house.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'
import type { Files } from '../derivation-files.ts'

/** Claim of a file that a domain belongs to a house. */
interface HouseClaim {
  location: string
  house_domain: string
  domain: Domain
}

/**
 * Updates the domains that invalidated brand.json files claim for a house, and returns those saved brands for
 * which the claims have changed. A file that has expired claims none.
 */
export async function updateHouseClaims(
  db: Database,
  invalidated: readonly Invalidated[],
  files: Files,
): Promise<Domain[]> {
  const touched = invalidated.filter(source => source.kind === 'brand.json' && source.is_own)
  if (touched.length === 0) return []
  await files.load(touched)
  const before = await loadClaimsByLocation(db, touched)
  const changed = touched.flatMap(source => {
    const [old, rows] = [before.get(source.location) ?? [], listClaims(source, files)]
    return listDifferent(old, rows).length === 0 ? [] : [{ location: source.location, old, rows }]
  })
  if (changed.length === 0) return []
  const locations = changed.map(({ location }) => location)
  await deleteRows(db, 'house_claims', 'location', locations)
  await db.insert(
    'house_claims',
    changed.flatMap(({ rows }) => rows),
  )
  const domains = changed.flatMap(({ old, rows }) =>
    listDifferent(old, rows).map(({ domain }) => domain),
  )
  return listSaved(db, [...new Set(domains)])
}

async function loadClaimsByLocation(
  db: Database,
  sources: readonly Invalidated[],
): Promise<Map<string, HouseClaim[]>> {
  const locations = JSON.stringify(sources.map(({ location }) => location))
  const rows = await db.all<HouseClaim>(
    `select location, house_domain, domain from house_claims
     where location in (select value from json_each($locations))`,
    { locations },
  )
  return Map.groupBy(rows, row => row.location)
}

function listClaims(source: Invalidated, files: Files): HouseClaim[] {
  const { document, validity } = files.get(source)
  const brand = validity === 'expired' ? undefined : (document as BrandDocument | undefined)
  if (brand?.variant !== 'house_portfolio') return []
  const { location } = source
  const house_domain = brand.house.domain
  if (!isUrl(location) && location !== house_domain) return []
  return listClaimed(brand).map(domain => ({ location, house_domain, domain }))
}

/** Lists the claims that are in only one of the two lists. */
function listDifferent(before: readonly HouseClaim[], after: readonly HouseClaim[]): HouseClaim[] {
  const toKey = ({ house_domain, domain }: HouseClaim) => `${house_domain} ${domain}`
  const [was, is] = [new Set(before.map(toKey)), new Set(after.map(toKey))]
  return [
    ...before.filter(row => !is.has(toKey(row))),
    ...after.filter(row => !was.has(toKey(row))),
  ]
}

async function listSaved(db: Database, domains: readonly Domain[]): Promise<Domain[]> {
  const rows = await db.all<{ domain: Domain }>(
    `select domain from entries where entity = 'brand'
       and domain in (select value from json_each($domains)) order by domain`,
    { domains: JSON.stringify(domains) },
  )
  return rows.map(({ domain }) => domain)
}
