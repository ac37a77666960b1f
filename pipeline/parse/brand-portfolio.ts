import {
  architectures,
  type BrandDocument,
  type BrandEntry,
  type BrandRef,
} from '../model/documents/index.ts'
import { describeOwnDomain, readDomain } from './addresses.ts'
import { readAgents } from './brand-agents.ts'
import { parseBrand } from './brand-entry.ts'
import { readOperators } from './brand-operators.ts'
import { readTrademarks } from './brand-trademarks.ts'
import { quote } from './faults.ts'
import { type ObjectReader, optional } from './object-reader.ts'
import { proposeNearest } from './suggestions.ts'

type Portfolio = Extract<BrandDocument, { variant: 'house_portfolio' }>

/**
 * Reads a house with its brands, written out or referred to. A house without a domain is the one that
 * serves the file; the target of a pointer must name it, since nothing else identifies it.
 */
export function readPortfolio(root: ObjectReader, house: ObjectReader, domain: string | undefined) {
  const declared = readDomain(house, 'domain')
  const houseDomain = declared ?? domain
  if (houseDomain === undefined) return undefined
  if (domain !== undefined && houseDomain !== domain) {
    const instead = describeOwnDomain(domain, houseDomain) ?? `write ${quote(domain)}`
    house.error(
      'domain',
      'contradictory',
      `is ${houseDomain}, and a house speaks on its own domain only: ${instead}`,
    )
  }
  const brands = readBrands(root)
  const refs = readRefs(root, brands)
  const isReported = root.isReported('brands') || root.isReported('brand_refs')
  if (brands.length === 0 && refs.length === 0 && !isReported) {
    root.error('brands', 'empty', 'and brand_refs are both empty: list at least one brand')
  }
  const lastUpdated = root.dateTime('last_updated')
  const portfolio: Portfolio = {
    variant: 'house_portfolio',
    house: readHouse(house, houseDomain),
    brands,
    brand_refs: refs,
    authorized_operators: readOperators(root, [
      ...brands.map(({ id }) => id),
      ...refs.map(({ brand_id }) => brand_id),
    ]),
    trademarks: readTrademarks(root),
    ...optional('last_updated', lastUpdated),
  }
  return portfolio
}

function readHouse(house: ObjectReader, domain: string): Portfolio['house'] {
  if (!house.has('name'))
    house.error('name', 'missing', 'is missing: add the company name, such as "Acme Inc."')
  return {
    domain,
    name: house.requiredLabel('name') ?? domain,
    ...optional('architecture', house.oneOf('architecture', architectures)),
    agents: readAgents(house),
  }
}

/** Reads the brands of a portfolio. The first of two brands with one id counts. */
function readBrands(root: ObjectReader): BrandEntry[] {
  const brands = new Map<string, BrandEntry>()
  const parents: { part: ObjectReader; parent: string }[] = []
  for (const part of root.parts('brands')) {
    const brand = parseBrand(part)
    if (brand === undefined) continue
    if (part.has('house_domain')) {
      part.error(
        'house_domain',
        'misplaced',
        'does not belong here, since the house is the one of this file: remove it',
      )
    }
    if (brands.has(brand.id)) {
      part.error(
        'id',
        'repeated',
        `is ${quote(brand.id)} again, so this one was left out: give it another id`,
      )
      continue
    }
    brands.set(brand.id, brand)
    if (brand.parent_brand !== undefined) parents.push({ part, parent: brand.parent_brand })
  }
  for (const { part, parent } of parents) {
    if (!brands.has(parent)) {
      part.warn(
        'parent_brand',
        'unresolved',
        `is ${quote(parent)}, which is not a brand in this file${proposeNearest(parent, brands.keys())}`,
      )
    }
  }
  return [...brands.values()]
}

function readRefs(root: ObjectReader, brands: readonly BrandEntry[]): BrandRef[] {
  const inline = new Set(brands.map(({ id }) => id))
  const domains = new Set<string>()
  const ids = new Set<string>()
  return root.parts('brand_refs').flatMap(part => {
    const ref = parseRef(part)
    if (ref === undefined) return []
    if (inline.has(ref.brand_id)) {
      part.error(
        'brand_id',
        'contradictory',
        `is ${quote(ref.brand_id)}, which brands has as well: keep one of them`,
      )
    }
    if (ids.has(ref.brand_id))
      part.error('brand_id', 'repeated', `is ${quote(ref.brand_id)} again: give it another id`)
    ids.add(ref.brand_id)
    if (domains.has(ref.domain)) {
      part.error(
        'domain',
        'repeated',
        `is ${ref.domain} again, so this one was left out: remove it`,
      )
      return []
    }
    domains.add(ref.domain)
    return [ref]
  })
}

/** Parses a reference; undefined when it is unclear which brand is meant, or since when. */
function parseRef(part: ObjectReader): BrandRef | undefined {
  const domain = readDomain(part, 'domain')
  const id = part.requiredText('brand_id')
  if (!part.has('brand_id'))
    part.error('brand_id', 'missing', 'is missing: name the id of the brand, such as acme')
  const effectiveAt = part.limit('effective_at')
  if (part.has('effective_at') && effectiveAt === undefined) return undefined
  if (domain === undefined || id === undefined) return undefined
  return { domain, brand_id: id, ...optional('effective_at', effectiveAt) }
}
