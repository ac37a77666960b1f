import type { BrandItem, BrandStats } from '../../model/responses/index.ts'
import {
  brandBits,
  brandItemColumns,
  brandItemTable,
  brandOrder,
  brandSources,
  toBrandItem,
} from '../../search/brand-items.ts'
import type { CountFlags, RegisteredList } from './listed.ts'

const ITEMS = `
select ${brandItemColumns} from ${brandItemTable} where ($source is null or source = $source)
  and ($after is null or [brand_name, (source <> 'brand_json')::integer::varchar, domain] > from_json($after, '["VARCHAR"]'))
${brandOrder} limit $limit offset $offset`

const STATS = `
select count(*) as total, 0 as hosted, count(*) filter (source = 'brand_json') as brand_json,
  count(*) filter (source = 'community') as community,
  count(*) filter (source = 'enriched') as enriched, 0 as stub,
  count(*) filter (keller_type is null or keller_type in ('master', 'independent')) as houses,
  count(*) filter (keller_type in ('sub_brand', 'endorsed')) as sub_brands,
  count(*) filter (manifest is not null and manifest::varchar != '{}') as with_manifest
from brands`

/** Brands by name. */
export const brandList: RegisteredList = {
  name: 'brands',
  async load({ db }, { source, limit, offset, after }) {
    const [rows, stats] = await Promise.all([
      db.all<Record<string, unknown>>(ITEMS, {
        source: source ?? null,
        limit,
        offset,
        after: after === undefined ? null : JSON.stringify(after),
      }),
      db.oneOrThrow<BrandStats>(STATS),
    ])
    return { items: rows.map(toBrandItem), stats }
  },
  toPlace(item) {
    const { brand_name, source, domain } = JSON.parse(item) as BrandItem
    return [brand_name, source === 'brand_json' ? '0' : '1', domain]
  },
  isOfSource: (flags, source) => brandSources[flags & brandBits.source] === source,
  count: countBrands,
}

function countBrands(count: CountFlags): BrandStats {
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
