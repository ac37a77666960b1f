import { DAY, type Instant } from '../core/clock.ts'
import { type Domain, isSameSite, parseDomain } from '../core/domain.ts'
import type { AgentDeclaration, BrandDocument, BrandEntry } from '../model/documents.ts'
import { isUrl, sourceAt } from '../model/observation.ts'
import { ask, type Derivation, type Pending, pending } from './derivation.ts'

/** JSON-level redirects followed before a brand counts as unresolvable. */
const MAX_HOPS = 3
const DECLARATION_AGE = 180 * DAY

export type RelationshipTrust =
  | 'inline'
  | 'mutual'
  | 'leaf_only'
  | 'house_only'
  | 'standalone'
  | 'unverifiable'

/** Which brand a domain is. `canonical_id` is always a domain; `brand_id` is the document's own. */
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
  /** Domains the documents read on the way name as theirs. */
  mentions: Domain[]
}

type Answer = BrandFacts | Pending | undefined
type Portfolio = Extract<BrandDocument, { variant: 'house_portfolio' }>
type Canonical = Extract<BrandDocument, { variant: 'brand_canonical' }>

/** Where the walk stands: whose document is read, for which domain. */
interface Walk {
  requested: Domain
  /** Domain whose document is being read; differs from `requested` after a house redirect. */
  current: Domain
  location: string
  hops: number
  now: Instant
}

/**
 * Which brand `domain` is, by its own brand.json and the documents that one leads to. Undefined when
 * the domain publishes no such file, or one that leads nowhere.
 */
export function* deriveBrand(domain: Domain, now: Instant): Derivation<Answer> {
  return yield* walk({ requested: domain, current: domain, location: domain, hops: 0, now })
}

function* walk(at: Walk): Derivation<Answer> {
  const file = yield* ask('brand.json', at.location)
  if (file.standing === 'untried' && at.hops > 0) return pending
  if (file.document === undefined || file.standing === 'ended') {
    return at.current === at.requested ? undefined : claimOnly(at)
  }
  const document = file.document
  switch (document.variant) {
    case 'authoritative_location': {
      const next = sourceAt('brand.json', document.authoritative_location)
      return next === undefined ? undefined : yield* step(at, { location: next.location })
    }
    case 'house_redirect': {
      const house = parseDomain(document.house)
      if (house === undefined) return undefined
      return yield* step(at, { current: house, location: house })
    }
    case 'house_portfolio':
      return yield* inPortfolio(at, document)
    case 'brand_canonical':
      return yield* asCanonical(at, document)
    case 'brand_agent':
      return asBrandAgent(at, document.agents)
  }
}

function* step(at: Walk, next: Partial<Walk>): Derivation<Answer> {
  if (at.hops >= MAX_HOPS) return undefined
  return yield* walk({ ...at, ...next, hops: at.hops + 1 })
}

function* inPortfolio(at: Walk, document: Portfolio): Derivation<Answer> {
  const house = parseDomain(document.house.domain)
  if (house === undefined || house !== at.current) return undefined
  if (isForeign(at, document.brands.flatMap(ownedWebsites))) return undefined
  const inline = document.brands.find(brand => ownedWebsites(brand).includes(at.requested))
  const mentions = [
    ...document.brands.flatMap(ownedWebsites),
    ...document.brand_refs.flatMap(ref => parseDomain(ref.domain) ?? []),
  ]
  if (inline) return { ...inlineFacts(at, document, inline), mentions }
  const referenced = document.brand_refs.some(ref => parseDomain(ref.domain) === at.requested)
  if (referenced && at.requested !== at.current) return yield* leafOf(at, document)
  const master = document.brands.find(brand => brand.keller_type === 'master')
  if (at.requested === house && master) return { ...inlineFacts(at, document, master), mentions }
  return at.requested === house ? undefined : claimOnly(at)
}

function inlineFacts(at: Walk, { house }: Portfolio, brand: BrandEntry): BrandFacts {
  return {
    ...entryFacts(brand, canonicalDomainOf(brand, at)),
    house_domain: at.current,
    house_name: house.name,
    relationship_trust: 'inline',
    mentions: [],
  }
}

/** A portfolio points back to the domain that redirected here: the leaf's own document decides. */
function* leafOf(at: Walk, document: Portfolio): Derivation<Answer> {
  const ref = document.brand_refs.find(entry => parseDomain(entry.domain) === at.requested)
  const leaf = yield* ask('brand.json', at.requested)
  if (leaf.document?.variant !== 'brand_canonical' || leaf.document.brand.id !== ref?.brand_id) {
    return claimOnly(at)
  }
  return yield* asCanonical({ ...at, current: at.requested }, leaf.document)
}

function* asCanonical(at: Walk, document: Canonical): Derivation<Answer> {
  const owned = ownedWebsites(document.brand)
  if (isForeign(at, owned)) return undefined
  if (at.current !== at.requested && !owned.includes(at.requested)) return claimOnly(at)
  const facts = { ...entryFacts(document.brand, at.current), mentions: owned }
  const house = parseDomain(document.house_domain)
  if (house === undefined) return { ...facts, relationship_trust: 'standalone' }
  const claim = yield* houseClaim(at.current, document.brand.id, house, at.now)
  if (claim === pending) return pending
  return { ...facts, ...claim, mentions: [...owned, house] }
}

/** Whether the house names the leaf back. The house's own redirects are followed first. */
function* houseClaim(leaf: Domain, brandId: string, house: Domain, now: Instant) {
  const claimed = { claimed_house_domain: house }
  let current: Domain = house
  let location: string = house
  const visited = new Set<string>()
  for (let hop = 0; hop <= MAX_HOPS && !visited.has(location); hop++) {
    visited.add(location)
    const file = yield* ask('brand.json', location)
    if (file.standing === 'untried') return pending
    const document = file.standing === 'ended' ? undefined : file.document
    if (document?.variant === 'house_redirect') {
      current = parseDomain(document.house) ?? current
      location = current
    } else if (document?.variant === 'authoritative_location') {
      location = sourceAt('brand.json', document.authoritative_location)?.location ?? location
    } else if (document?.variant === 'house_portfolio' && document.house.domain === current) {
      return relationship(leaf, brandId, document, current, now)
    } else break
  }
  return { ...claimed, relationship_trust: 'unverifiable' as const }
}

function relationship(
  leaf: Domain,
  brandId: string,
  { brand_refs, house }: Portfolio,
  domain: Domain,
  now: Instant,
) {
  const ref = brand_refs.find(
    entry => parseDomain(entry.domain) === leaf && entry.brand_id === brandId,
  )
  const declared = ref?.effective_at === undefined ? undefined : Date.parse(ref.effective_at)
  const holds = declared === undefined || (declared <= now && now - declared <= DECLARATION_AGE)
  if (ref === undefined || !holds) {
    return { claimed_house_domain: domain, relationship_trust: 'leaf_only' as const }
  }
  return {
    house_domain: domain,
    house_name: house.name,
    relationship_trust: 'mutual' as const,
    ...(ref.effective_at === undefined ? {} : { relationship_declared_at: ref.effective_at }),
  }
}

function asBrandAgent(at: Walk, agents: AgentDeclaration[]): BrandFacts | undefined {
  const agent = agents.find(({ type }) => type === 'brand')
  if (agent === undefined) return undefined
  return { ...claimOnly(at), brand_agent_url: agent.agent_url }
}

/** The domain stays itself; the house it led to is at most a claim. */
function claimOnly(at: Walk): BrandFacts {
  const itself = {
    canonical_domain: at.requested,
    brand_name: at.requested,
    mentions: [],
  }
  return at.current === at.requested
    ? { ...itself, relationship_trust: 'standalone' }
    : { ...itself, claimed_house_domain: at.current, relationship_trust: 'leaf_only' }
}

function entryFacts(brand: BrandEntry, domain: Domain) {
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

/** Domains a brand owns. Sales paths (direct, delegated, ad_network) bind no domain to a brand. */
function ownedWebsites(brand: BrandEntry): Domain[] {
  return brand.properties
    .filter(({ type, relationship: how }) => type === 'website' && how === 'owned')
    .flatMap(({ identifier }) => parseDomain(identifier) ?? [])
}

function canonicalDomainOf(brand: BrandEntry, at: Walk): Domain {
  const primary = brand.properties.find(
    ({ type, primary: first, relationship: how }) =>
      type === 'website' && first === true && how === 'owned',
  )
  return parseDomain(primary?.identifier) ?? ownedWebsites(brand)[0] ?? at.requested
}

/** A document served off the site speaks for the domain only if it names it (or no site at all). */
function isForeign(at: Walk, websites: Domain[]): boolean {
  if (!isUrl(at.location)) return false
  if (isSameSite(new URL(at.location).hostname, at.current)) return false
  return websites.length > 0 && !websites.includes(at.current)
}
