import type { BrandResolution } from '../model/responses/index.ts'
import { findJsonEnd, HEAD_LENGTH, toJsonValue } from './document-value.ts'

/** A brand of a house: proven where both files, or the house for its own site, say so; else one of the two claims it. */
export interface PortfolioBrand {
  domain: string
  brand_name: string
  brand_id: string | null
  keller_type: string | null
  parent_brand: string | null
  relationship_trust: string | null
  is_proven: boolean
}

/** End of the members of a brand that name its house: a stored brand without it belongs to no portfolio. */
export const NAMES_A_HOUSE = 'house_domain"'

/**
 * Lists the entries of a stored brand in portfolios: one below each house that is proven or claimed. Their keys
 * sort the proven brands of a house before the others.
 */
export function listPortfolioEntries(
  domain: string,
  stored: Buffer,
): { key: string; value: Buffer }[] {
  const json = stored.toString('utf8', HEAD_LENGTH, findJsonEnd(stored))
  const { house_domain, claimed_house_domain, ...brand } = JSON.parse(json) as BrandResolution
  const { brand_name, brand_id = null, keller_type = null } = brand
  const { parent_brand = null, relationship_trust = null } = brand
  const houses = new Set([house_domain, claimed_house_domain])
  return [...houses].flatMap(house => {
    if (house === undefined || house === domain) return []
    const is_proven = house === house_domain && relationship_trust !== 'house_only'
    const shown = { domain, brand_name, brand_id, keller_type, parent_brand, relationship_trust }
    const item: PortfolioBrand = { ...shown, is_proven }
    return [{ key: `${house} ${is_proven ? 0 : 1} ${domain}`, value: toJsonValue(item) }]
  })
}
