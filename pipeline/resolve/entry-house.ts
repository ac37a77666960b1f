import type { Instant } from '../core/clock.ts'
import { type Domain, parseDomain } from '../core/domain.ts'
import { type BrandFacts, listOwnedWebsites, type Portfolio } from './brand-facts.ts'
import { findPortfolio, resolveDeclaredSince } from './brand-house.ts'
import { ask, type Derivation, pending } from './derivation.ts'

/** Houses that are asked about one domain; where more claim it, nothing is said. */
export const CLAIMING_HOUSES_MAX = 8

/** House of a saved brand, by the word of the house alone. */
export type EntryHouse = Required<Pick<BrandFacts, 'house_domain' | 'house_name'>> &
  Pick<BrandFacts, 'relationship_declared_at'>

/** Lists the domains that a portfolio names as brands of its house: their websites, and those it refers to. */
export function listClaimed({ brands, brand_refs, house }: Portfolio): Domain[] {
  const referred = brand_refs.flatMap(({ domain }) => parseDomain(domain) ?? [])
  const claimed = new Set([...brands.flatMap(listOwnedWebsites), ...referred])
  return [...claimed].filter(domain => domain !== parseDomain(house.domain))
}

/** Saved brand of a domain: the house that it names, and those whose files claim the domain. */
export interface ClaimedEntry {
  domain: Domain
  named: Domain | undefined
  claiming: readonly Domain[]
}

/**
 * Derives the house of a brand that somebody saved: the one whose portfolio names the domain now. Undefined
 * where several do, the entry names another one, or the domain publishes a brand.json, which alone may say
 * whose it is.
 */
export function* deriveEntryHouse(
  { domain, named, claiming }: ClaimedEntry,
  now: Instant,
): Derivation<EntryHouse | undefined> {
  const own = yield* ask('brand.json', domain)
  const isPublished = own.document !== undefined && own.validity !== 'expired'
  if (isPublished || claiming.length > CLAIMING_HOUSES_MAX) return undefined
  const found: EntryHouse[] = []
  for (const house of claiming) {
    const claim = yield* readClaim(house, domain, now)
    if (claim !== undefined) found.push(claim)
  }
  const [only, another] = found
  if (only === undefined || another !== undefined) return undefined
  if (named === undefined || named === only.house_domain) return only
  const portfolio = yield* findPortfolio(named, domain, now)
  const isSame = typeof portfolio === 'object' && portfolio.domain === only.house_domain
  return isSame ? only : undefined
}

/** Reads whether a house names a domain. One whose own file leads to another house does not: that one does. */
function* readClaim(
  house: Domain,
  domain: Domain,
  now: Instant,
): Derivation<EntryHouse | undefined> {
  const found = yield* findPortfolio(house, domain, now)
  if (found === pending || found?.domain !== house) return undefined
  const { brands, brand_refs, house: itself } = found.document
  const claim = { house_domain: house, house_name: itself.name }
  if (brands.some(brand => listOwnedWebsites(brand).includes(domain))) return claim
  const ref = brand_refs.find(entry => parseDomain(entry.domain) === domain)
  const declared = ref && (yield* resolveDeclaredSince(ref, now))
  return declared === undefined ? undefined : { ...claim, relationship_declared_at: declared }
}
