import { withoutNulls } from '../../diff/events.ts'
import type { BrandItem, BrandStats } from '../../model/answers.ts'
import type { Snapshot } from '../reader.ts'
import { type Page, substring } from './rows.ts'

export interface BrandsAsked extends Page {
  search?: string | undefined
  source?: string | undefined
}

const MATCHES = `($search is null or domain ilike $search escape '\\'
  or brand_name ilike $search escape '\\' or house_name ilike $search escape '\\')`

const ITEMS = `
select domain, brand_name, canonical_domain, source,
  manifest is not null and manifest::varchar != '{}' as has_manifest,
  source = 'brand_json' as verified,
  coalesce(keller_type, 'master') as keller_type,
  house_domain, claimed_house_domain, relationship_trust
from brands
where ${MATCHES} and ($source is null or source = $source)
order by brand_name, domain limit $limit offset $offset`

const STATS = `
select count(*) as total, 0 as hosted, count(*) filter (source = 'brand_json') as brand_json,
  count(*) filter (source = 'community') as community,
  count(*) filter (source = 'enriched') as enriched, 0 as stub,
  count(*) filter (keller_type is null or keller_type in ('master', 'independent')) as houses,
  count(*) filter (keller_type in ('sub_brand', 'endorsed')) as sub_brands,
  count(*) filter (manifest is not null and manifest::varchar != '{}') as with_manifest
from brands where ${MATCHES}`

/** A page of brands by name; the counts are of all that match the search, whatever their source. */
export async function listBrands(
  { db }: Pick<Snapshot, 'db'>,
  { search, source, limit, offset }: BrandsAsked,
): Promise<{ brands: BrandItem[]; stats: BrandStats }> {
  const matching = { search: substring(search) }
  const [rows, stats] = await Promise.all([
    db.all<Record<string, unknown>>(ITEMS, { ...matching, source: source ?? null, limit, offset }),
    db.one<BrandStats>(STATS, matching),
  ])
  return { brands: rows.map(row => withoutNulls(row) as BrandItem), stats: stats! }
}

/** What is listed before the first snapshot. */
export const noBrands: { brands: BrandItem[]; stats: BrandStats } = {
  brands: [],
  stats: {
    total: 0,
    hosted: 0,
    brand_json: 0,
    community: 0,
    enriched: 0,
    stub: 0,
    houses: 0,
    sub_brands: 0,
    with_manifest: 0,
  },
}
