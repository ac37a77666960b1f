import { withoutNulls } from '../../diff/events.ts'
import type { BrandItem, BrandStats } from '../../model/answers.ts'
import type { Snapshot } from '../reader.ts'
import type { ListFilter } from '../search/listing.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { listedPage } from './listed.ts'
import type { Page } from './rows.ts'

export interface BrandsAsked extends Page {
  source?: string | undefined
}

/** The columns of an item. */
export const brandItemColumns = `
domain, brand_name, canonical_domain, source,
  manifest is not null and manifest::varchar != '{}' as has_manifest,
  source = 'brand_json' as verified,
  coalesce(keller_type, 'master') as keller_type,
  house_domain, claimed_house_domain, parent_brand, brand_agent_url, relationship_trust`

export const brandOrder = 'order by brand_name, domain'

const ITEMS = `
select ${brandItemColumns} from brands where ($source is null or source = $source)
${brandOrder} limit $limit offset $offset`

const STATS = `
select count(*) as total, 0 as hosted, count(*) filter (source = 'brand_json') as brand_json,
  count(*) filter (source = 'community') as community,
  count(*) filter (source = 'enriched') as enriched, 0 as stub,
  count(*) filter (keller_type is null or keller_type in ('master', 'independent')) as houses,
  count(*) filter (keller_type in ('sub_brand', 'endorsed')) as sub_brands,
  count(*) filter (manifest is not null and manifest::varchar != '{}') as with_manifest
from brands`

export function brandItemOf(row: Record<string, unknown>): BrandItem {
  return withoutNulls(row) as BrandItem
}

/** A page of brands by name; the counts are of all, whatever their source. */
export async function listBrands(
  { db }: Pick<Snapshot, 'db'>,
  { source, limit, offset }: BrandsAsked,
): Promise<{ brands: BrandItem[]; stats: BrandStats }> {
  const [rows, stats] = await Promise.all([
    db.all<Record<string, unknown>>(ITEMS, { source: source ?? null, limit, offset }),
    db.one<BrandStats>(STATS),
  ])
  return { brands: rows.map(brandItemOf), stats: stats! }
}

/** The same for brands that match a text, the best first; the items are JSON. */
export async function searchBrands(
  index: SearchIndex,
  text: string,
  { source, limit, offset }: BrandsAsked,
): Promise<{ items: string[]; stats: BrandStats }> {
  const matches = await index.all('brands', text)
  const isOf = source === undefined ? () => true : brandsOf(source).fits
  const stats = countBrands(matches.counter())
  return { items: await matches.page({ limit, offset }, isOf), stats }
}

/** A page from the search file, as the JSON of an answer with at most so many bytes of items. */
export function brandsListed(
  index: SearchIndex,
  { source, ...stretch }: BrandsAsked,
  mostBytes: number,
): Buffer {
  const listing = index.listing('brands')
  const stats = countBrands(fits => listing.count(fits))
  const filter = source === undefined ? undefined : brandsOf(source)
  return listedPage('brands', listing, stretch, { filter, stats }, mostBytes)
}

/** The flags of brands of one source. */
function brandsOf(source: string): ListFilter {
  return { name: source, fits: flags => sources[flags & SOURCE] === source }
}

const sources = ['brand_json', 'enriched', 'community'] as const
const SOURCE = 0b11
const HOUSE = 0b100
const SUB_BRAND = 0b1000
const MANIFEST = 0b1_0000

/** What is counted and filtered of a brand, as eight bits. */
export function brandFlags({ source, keller_type, has_manifest }: BrandItem): number {
  const kind =
    keller_type === 'master' || keller_type === 'independent'
      ? HOUSE
      : keller_type === 'sub_brand' || keller_type === 'endorsed'
        ? SUB_BRAND
        : 0
  return sources.indexOf(source) | kind | (has_manifest ? MANIFEST : 0)
}

function countBrands(count: (fits: (flags: number) => boolean) => number): BrandStats {
  const ofSource = (name: (typeof sources)[number]) =>
    count(flags => sources[flags & SOURCE] === name)
  return {
    total: count(() => true),
    hosted: 0,
    brand_json: ofSource('brand_json'),
    community: ofSource('community'),
    enriched: ofSource('enriched'),
    stub: 0,
    houses: count(flags => (flags & HOUSE) !== 0),
    sub_brands: count(flags => (flags & SUB_BRAND) !== 0),
    with_manifest: count(flags => (flags & MANIFEST) !== 0),
  }
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
