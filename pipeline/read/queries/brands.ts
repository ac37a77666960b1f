import type { BrandItem, BrandList, BrandStats } from '../../model/responses/index.ts'
import {
  brandBits,
  brandItemColumns,
  brandItemTable,
  brandOrder,
  brandSources,
  toBrandItem,
} from '../../search/brand-items.ts'
import type { ListFilter } from '../../search/listing.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Snapshot } from '../reader.ts'
import { buildListPage } from './listed.ts'
import type { Page } from './rows.ts'

export interface BrandsAsked extends Page {
  source?: string | undefined
}

const ITEMS = `
select ${brandItemColumns} from ${brandItemTable} where ($source is null or source = $source)
${brandOrder} limit $limit offset $offset`

const STATS = `
select count(*) as total, 0 as hosted, count(*) filter (source = 'brand_json') as brand_json,
  count(*) filter (source = 'community') as community,
  count(*) filter (source = 'enriched') as enriched, 0 as stub,
  count(*) filter (keller_type is null or keller_type in ('master', 'independent')) as houses,
  count(*) filter (keller_type in ('sub_brand', 'endorsed')) as sub_brands,
  count(*) filter (manifest is not null and manifest::varchar != '{}') as with_manifest
from brands`

/** Lists a page of brands by name; the counts cover all, whatever their source. */
export async function listBrands(
  { db }: Pick<Snapshot, 'db'>,
  { source, limit, offset }: BrandsAsked,
): Promise<{ brands: BrandItem[]; stats: BrandStats }> {
  const [rows, stats] = await Promise.all([
    db.all<Record<string, unknown>>(ITEMS, { source: source ?? null, limit, offset }),
    db.one<BrandStats>(STATS),
  ])
  return { brands: rows.map(toBrandItem), stats: stats! }
}

/** Searches brands by text, the best first; the items are JSON. */
export async function searchBrands(
  index: SearchIndex,
  text: string,
  { source, limit, offset }: BrandsAsked,
): Promise<{ items: string[]; stats: BrandStats }> {
  const matches = await index.all('brands', text)
  const isOfSource = source === undefined ? () => true : toBrandFilter(source).matches
  const stats = countBrands(matches.counter())
  return { items: await matches.page({ limit, offset }, isOfSource), stats }
}

/** Lists a page from the search file, as the JSON of an answer with at most so many bytes of items. */
export function listBrandsPage(
  index: SearchIndex,
  { source, ...stretch }: BrandsAsked,
  mostBytes: number,
): Buffer {
  const listing = index.listing('brands')
  const stats = countBrands(isMatching => listing.count(isMatching))
  const filter = source === undefined ? undefined : toBrandFilter(source)
  return buildListPage('brands', listing, stretch, { filter, stats }, mostBytes)
}

/** Converts a source to the flags of its brands. */
function toBrandFilter(source: string): ListFilter {
  return { name: source, matches: flags => brandSources[flags & brandBits.source] === source }
}

function countBrands(count: (isMatching: (flags: number) => boolean) => number): BrandStats {
  const ofSource = (name: (typeof brandSources)[number]) =>
    count(flags => brandSources[flags & brandBits.source] === name)
  return {
    total: count(() => true),
    hosted: 0,
    brand_json: ofSource('brand_json'),
    community: ofSource('community'),
    enriched: ofSource('enriched'),
    stub: 0,
    houses: count(flags => (flags & brandBits.house) !== 0),
    sub_brands: count(flags => (flags & brandBits.subBrand) !== 0),
    with_manifest: count(flags => (flags & brandBits.manifest) !== 0),
  }
}

/** Brand list before the first snapshot. */
export const noBrands: BrandList = {
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
  has_more: false,
  next_cursor: null,
}
