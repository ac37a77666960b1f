import type { Snapshot } from '../reader.ts'

/** A brand of a house: proven where both files, or the house for its own site, say so. */
export interface PortfolioBrand {
  domain: string
  brand_name: string
  brand_id: string | null
  keller_type: string | null
  parent_brand: string | null
  relationship_trust: string | null
  is_proven: boolean
}

export interface Portfolio {
  brands: PortfolioBrand[]
  total: number
}

const BRANDS_MAX = 200

const PORTFOLIO = `
select domain, brand_name, brand_id, keller_type, parent_brand, relationship_trust,
  house_domain is not null as is_proven, (count(*) over ())::double as total
from brands where (house_domain = $domain or claimed_house_domain = $domain) and domain != $domain
order by is_proven desc, brand_name, domain limit ${BRANDS_MAX}`

/** Loads the brands that are of a house or say so, the proven ones first. */
export async function loadPortfolio({ db }: Snapshot, domain: string): Promise<Portfolio> {
  const rows = await db.all<PortfolioBrand & { total: number }>(PORTFOLIO, { domain })
  return {
    brands: rows.map(({ total: _, ...brand }) => brand),
    total: rows[0]?.total ?? 0,
  }
}
