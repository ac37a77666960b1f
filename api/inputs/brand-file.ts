import { parseDomain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { stripPii } from '../../pipeline/core/pii.ts'
import type { BrandEntry } from '../../pipeline/model/documents/index.ts'
import { type BrandFile, isStorable } from '../../pipeline/model/save.ts'
import { checkBrand } from '../../pipeline/parse/brand-json.ts'
import { reportFaults } from '../../pipeline/parse/check-adagents.ts'
import type { CheckedProposal } from '../../pipeline/parse/check-file.ts'

const FAULTS_SHOWN_MAX = 20
/**
 * Reads a submitted brand.json, without its contact data. Refuses a file with errors, a pointer, and the
 * file of another domain.
 */
export function readBrandFile(
  submitted: Record<string, unknown>,
  domain: string,
): BrandFile & { brand: BrandEntry } {
  if (!isStorable(submitted)) {
    refuse('invalid_request', 'brand_json: must be well-formed and not nested too deeply')
  }
  const file = stripPii(submitted)
  const { document, faults } = checkBrand(Buffer.from(JSON.stringify(file)), {
    maxFaults: FAULTS_SHOWN_MAX,
  })
  const { errors } = reportFaults(faults)
  if (errors.length > 0 || document === undefined) {
    const [first] = errors
    const text = first?.message ?? 'it is not a brand.json'
    return refuse('invalid_request', `brand_json: is invalid: ${text}`, { details: errors })
  }
  const brand = findOwnBrand(document, domain)
  if (brand === undefined) {
    const text = `brand_json: must be the house ${domain} with its brands, or the brand itself`
    return refuse('invalid_request', text)
  }
  return { file, document, brand }
}

/** Finds the brand that a file hosted for a domain is about; undefined for a pointer, and for a house of another domain. */
export function findOwnBrand(
  document: CheckedProposal['document'],
  domain: string,
): BrandEntry | undefined {
  if (document?.variant === 'brand_canonical') return document.brand
  if (document?.variant !== 'house_portfolio') return undefined
  if (parseDomain(document.house.domain) !== domain) return undefined
  return document.brands.find(({ keller_type }) => keller_type === 'master') ?? document.brands[0]
}
