import type { PortfolioBrand } from '../../serving/portfolio-record.ts'
import type { Reader } from '../reader.ts'

export type { PortfolioBrand }

export interface Portfolio {
  brands: PortfolioBrand[]
  total: number
}

const BRANDS_MAX = 200

/** Lists the brands that are of a house or say so, the proven ones first, then by name. */
export function listPortfolio({ serving }: Pick<Reader, 'serving'>, house: string): Portfolio {
  if (serving === undefined) return { brands: [], total: 0 }
  const brands: PortfolioBrand[] = []
  for (const { value } of serving.range('portfolio', house, { limit: BRANDS_MAX }))
    brands.push(JSON.parse(value.toString()))
  const isPart = brands.length === BRANDS_MAX
  const total = isPart ? serving.countRange('portfolio', house) : brands.length
  return { brands: brands.sort(compareBrands), total }
}

function compareBrands(a: PortfolioBrand, b: PortfolioBrand): number {
  if (a.is_proven !== b.is_proven) return a.is_proven ? -1 : 1
  if (a.brand_name !== b.brand_name) return a.brand_name < b.brand_name ? -1 : 1
  return a.domain < b.domain ? -1 : 1
}
