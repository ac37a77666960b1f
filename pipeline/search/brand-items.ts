import { stripNulls } from '../diff/events.ts'
import { DEFAULT_KELLER_TYPE } from '../model/documents/vocabulary.ts'
import type { BrandItem } from '../model/responses/index.ts'

/** Columns of a brand as lists show it. */
export const brandItemColumns = `
domain, brand_name, canonical_domain, source,
  manifest is not null and manifest::varchar != '{}' as has_manifest,
  source = 'brand_json' as verified,
  coalesce(keller_type, '${DEFAULT_KELLER_TYPE}') as keller_type,
  house_domain, claimed_house_domain, parent_brand, brand_agent_url, relationship_trust,
  relationship_verified_at`

const read = `(select location, succeeded_at from crawl_state where kind = 'brand.json')`

/** Builds the condition by which a file is joined: of one equality, or each brand would be compared with each file. */
const isFileOf = (file: string, location: string) =>
  `${file}.location = if(b.relationship_trust = 'mutual', b.${location}, null)`

/** Brands with the moment at which both files of a mutual relationship were last read: that of the older one. */
export const brandItemTable = `(
select b.*, least(own.succeeded_at, house.succeeded_at, other.succeeded_at) as relationship_verified_at
from brands b
left join ${read} own on ${isFileOf('own', 'domain')}
left join ${read} house on ${isFileOf('house', 'house_domain')}
left join ${read} other on ${isFileOf('other', 'resolved_location')})`

/** Order of brands in lists: of one name, the brand comes first whose own file says so. */
export const brandOrder = "order by brand_name, source <> 'brand_json', domain"

export function toBrandItem(row: Record<string, unknown>): BrandItem {
  return stripNulls(row) as BrandItem
}

/** Sources of brands, each by the number that the flags hold. */
export const brandSources = ['brand_json', 'enriched', 'community'] as const
/** Bits of the flags. */
export const brandBits = { source: 0b11, house: 0b100, subBrand: 0b1000, manifest: 0b1_0000 }

/** Packs the facts by which brands are counted and filtered into eight bits. */
export function packBrandFlags({ source, keller_type, has_manifest }: BrandItem): number {
  const kind =
    keller_type === 'master' || keller_type === 'independent'
      ? brandBits.house
      : keller_type === 'sub_brand' || keller_type === 'endorsed'
        ? brandBits.subBrand
        : 0
  return brandSources.indexOf(source) | kind | (has_manifest ? brandBits.manifest : 0)
}
