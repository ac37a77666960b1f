import { type Domain, isSameSite, parseDomain } from '../core/domain.ts'
import type { BrandDocument, BrandEntry, BrandPromotion } from '../model/documents/index.ts'
import { hopsMax, NOWHERE } from '../model/file-state.ts'
import { isUrl, parseSource } from '../model/observation.ts'
import type { relationshipTrusts } from '../model/responses/brands.ts'

/** JSON-level redirects followed before a brand, or its house, counts as unresolvable. */
export const HOPS_MAX = hopsMax['brand.json']

export type Portfolio = Extract<BrandDocument, { variant: 'house_portfolio' }>
export type Canonical = Extract<BrandDocument, { variant: 'brand_canonical' }>

export type RelationshipTrust = (typeof relationshipTrusts)[number]

/** Brand of a domain. `canonical_id` is always a domain; `brand_id` is the document's own. */
export interface BrandFacts {
  canonical_domain: Domain
  brand_name: string
  brand_id?: string
  keller_type?: string
  house_domain?: Domain
  house_name?: string
  claimed_house_domain?: Domain
  parent_brand?: string
  brand_agent_url?: string
  relationship_trust: RelationshipTrust
  relationship_declared_at?: string
  names?: Record<string, string>[]
  manifest?: Record<string, unknown>
  promotion?: BrandPromotion
  /** Location of the file that says so: a domain, or an address that one leads to. */
  resolved_location?: string
  /** Domains that the documents on the way name as their own. */
  mentions: Domain[]
}

/** Position while following pointers: the file that is read, and the domain it is read for. */
export interface Place {
  /** The domain that the file is read for: its own, or the one that pointed to it. */
  current: Domain
  location: string
}

/**
 * Finds where a document points; undefined if it is not a pointer, `NOWHERE` if the pointer cannot be
 * followed.
 */
export function findNextPlace(
  place: Place,
  document: BrandDocument,
): Place | typeof NOWHERE | undefined {
  if (document.variant === 'authoritative_location') {
    const source = parseSource('brand.json', document.authoritative_location)
    return source === undefined ? NOWHERE : { current: place.current, location: source.location }
  }
  if (document.variant === 'house_redirect') {
    const house = parseDomain(document.house)
    return house === undefined ? NOWHERE : { current: house, location: house }
  }
  return undefined
}

/**
 * Tells whether a portfolio is the one of the domain that it is read for. Only the house itself publishes it, or
 * points to where it is; which websites its brands have says nothing about that.
 */
export function isOwnPortfolio({ current }: Place, { house }: Portfolio): boolean {
  return parseDomain(house.domain) === current
}

/**
 * Tells whether the document of a brand is foreign: one served off the site speaks for the domain only if it
 * names it (or no site at all).
 */
export function isForeign(place: Place, brand: BrandEntry): boolean {
  if (isSameSite(getHost(place.location), place.current)) return false
  const websites = listOwnedWebsites(brand)
  return websites.length > 0 && !websites.includes(place.current)
}

/**
 * Lists the domains that a brand owns. A sales relationship (direct, delegated, ad_network) does not make a
 * domain the brand's.
 */
export function listOwnedWebsites(brand: BrandEntry): Domain[] {
  return brand.properties
    .filter(({ type, relationship: how }) => type === 'website' && how === 'owned')
    .flatMap(({ identifier }) => parseDomain(identifier) ?? [])
}

/** Finds the website that a brand calls its primary one, else its first. */
export function findPrimaryWebsite(brand: BrandEntry): Domain | undefined {
  const primary = brand.properties.find(
    ({ type, primary: first, relationship: how }) =>
      type === 'website' && first === true && how === 'owned',
  )
  return parseDomain(primary?.identifier) ?? listOwnedWebsites(brand)[0]
}

export function readEntryFacts(brand: BrandEntry, domain: Domain) {
  const agent = brand.agents.find(({ type }) => type === 'brand')
  return {
    canonical_domain: domain,
    brand_name: brand.name,
    brand_id: brand.id,
    names: brand.names,
    manifest: brand.manifest,
    ...(brand.keller_type === undefined ? {} : { keller_type: brand.keller_type }),
    ...(brand.parent_brand === undefined ? {} : { parent_brand: brand.parent_brand }),
    ...(agent === undefined ? {} : { brand_agent_url: agent.agent_url }),
  }
}

function getHost(location: string): string {
  return isUrl(location) ? new URL(location).hostname : location
}
