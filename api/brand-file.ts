import { parseDomain } from '../pipeline/core/domain.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { withoutPersonal } from '../pipeline/core/personal.ts'
import { reported } from '../pipeline/crawl/check-adagents.ts'
import { checkBrand } from '../pipeline/crawl/check-brand.ts'
import type { BrandDocument, BrandEntry } from '../pipeline/model/documents.ts'
import { type BrandFile, isStorable } from '../pipeline/model/save.ts'

const FAULTS = 20
/**
 * A brand.json that somebody hands in for a domain, as it is kept: without whom to write to. Refuses
 * what a reader would find fault with, what only leads elsewhere, and what is another domain's.
 */
export function readBrandFile(
  given: Record<string, unknown>,
  domain: string,
): BrandFile & { brand: BrandEntry } {
  if (!isStorable(given)) {
    refuse('invalid_request', 'brand_json: must be well-formed and not nested deeply')
  }
  const file = withoutPersonal(given)
  const { document, faults } = checkBrand(Buffer.from(JSON.stringify(file)), { maxFaults: FAULTS })
  const { errors } = reported(faults)
  if (errors.length > 0 || document === undefined) {
    const [first] = errors
    const text = first ? `${first.field}: ${first.message}` : 'is no brand.json'
    return refuse('invalid_request', `brand_json: ${text}`, { details: errors })
  }
  const brand = brandIn(document, domain)
  if (brand === undefined) {
    const text = `brand_json: must be the house ${domain} with its brands, or the brand itself`
    return refuse('invalid_request', text)
  }
  return { file, document, brand }
}

function brandIn(document: BrandDocument, domain: string): BrandEntry | undefined {
  if (document.variant === 'brand_canonical') return document.brand
  if (document.variant !== 'house_portfolio') return undefined
  if (parseDomain(document.house.domain) !== domain) return undefined
  return document.brands.find(({ keller_type }) => keller_type === 'master') ?? document.brands[0]
}
