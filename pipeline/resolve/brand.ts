import type { Instant } from '../core/clock.ts'
import { type Domain, isSameSite, parseDomain } from '../core/domain.ts'
import type { BrandDocument, BrandEntry } from '../model/documents/index.ts'
import { NOWHERE } from '../model/file-state.ts'
import {
  type BrandFacts,
  type Canonical,
  findNextPlace,
  findPrimaryWebsite,
  HOPS_MAX,
  isForeign,
  isOwnPortfolio,
  listOwnedWebsites,
  type Place,
  type Portfolio,
  readEntryFacts,
} from './brand-facts.ts'
import { resolveClaim } from './brand-house.ts'
import { ask, type Derivation, type Pending, pending } from './derivation.ts'

export type { BrandFacts } from './brand-facts.ts'

type Answer = BrandFacts | Pending | undefined

/** State of following pointers for one domain. `current` differs from `requested` after a house redirect. */
interface Walk extends Place {
  requested: Domain
  /** The house that the domain named, by its first redirect. */
  named?: Domain
  now: Instant
}

/**
 * Derives which brand `domain` is, by its own brand.json and the documents that it leads to. Undefined
 * when the domain publishes no such file, or one that leads nowhere.
 */
export function* deriveBrand(domain: Domain, now: Instant): Derivation<Answer> {
  const visited = new Set<string>()
  let walk: Walk = { requested: domain, current: domain, location: domain, now }
  while (visited.size <= HOPS_MAX && !visited.has(walk.location)) {
    visited.add(walk.location)
    const file = yield* ask('brand.json', walk.location)
    if (file.validity === 'unknown' && visited.size > 1) return pending
    if (file.document === undefined || file.validity === 'expired') break
    const next = findNextPlace(walk, file.document)
    if (next === undefined) return addLocation(walk, yield* resolveAnswer(walk, file.document))
    if (next === NOWHERE) break
    if (file.document.variant === 'house_redirect') walk = { named: next.current, ...walk }
    walk = { ...walk, ...next }
  }
  return addLocation(walk, buildUnverified(walk))
}

function addLocation({ location }: Place, answer: Answer): Answer {
  return typeof answer === 'object' ? { ...answer, resolved_location: location } : answer
}

function* resolveAnswer(walk: Walk, document: BrandDocument): Derivation<Answer> {
  switch (document.variant) {
    case 'house_portfolio':
      return yield* answerFromPortfolio(walk, document)
    case 'brand_canonical':
      return yield* answerAsCanonical(walk, document)
    case 'brand_agent': {
      const agent = document.agents.find(({ type }) => type === 'brand')
      if (agent === undefined) return buildUnverified(walk)
      return { ...buildItself(walk), brand_agent_url: agent.agent_url }
    }
  }
  return undefined
}

/**
 * Answers with the brand of a house that owns the domain, or with the house's own brand for the house
 * itself. A domain that redirects to a house that does not list it stays itself. One that the house merely
 * refers to is nothing: the reference says that the domain has a document of its own, and the domain that the
 * house has it.
 */
function* answerFromPortfolio(walk: Walk, document: Portfolio): Derivation<Answer> {
  if (!isOwnPortfolio(walk, document)) return buildUnverified(walk)
  const { requested, current: house } = walk
  const isItself = requested === house
  const brand =
    document.brands.find(brand => listOwnedWebsites(brand).includes(requested)) ??
    document.brands.find(brand => isItself && brand.keller_type === 'master')
  const references = document.brand_refs.flatMap(ref => parseDomain(ref.domain) ?? [])
  if (brand === undefined) {
    return isItself || references.includes(requested) ? undefined : buildItself(walk)
  }
  const canonical = yield* resolveCanonicalDomain(brand, requested, house)
  if (canonical === pending) return pending
  return {
    ...readEntryFacts(brand, canonical),
    house_domain: house,
    house_name: document.house.name,
    relationship_trust: 'inline',
    mentions: [...document.brands.flatMap(listOwnedWebsites), ...references],
  }
}

/**
 * Resolves the primary website of a house's brand. A website of another site must refer to the
 * house: a house cannot take over another brand by listing its domain.
 */
function* resolveCanonicalDomain(
  brand: BrandEntry,
  requested: Domain,
  house: Domain,
): Derivation<Domain | Pending> {
  const primary = findPrimaryWebsite(brand)
  if (primary === undefined) return requested
  if (isSameSite(primary, requested) || isSameSite(primary, house)) return primary
  const file = yield* ask('brand.json', primary)
  if (file.validity === 'unknown') return pending
  if (file.document === undefined || file.validity === 'expired') return requested
  const next = findNextPlace({ current: primary, location: primary }, file.document)
  const leadsToHouse =
    typeof next === 'object' && (next.current === house || next.location === house)
  return leadsToHouse ? primary : requested
}

function* answerAsCanonical(walk: Walk, document: Canonical): Derivation<Answer> {
  const { brand, house_domain, promotion } = document
  if (isForeign(walk, brand)) return buildUnverified(walk)
  const owned = listOwnedWebsites(brand)
  if (walk.named !== undefined && !owned.includes(walk.requested)) return buildItself(walk)
  const facts = { ...readEntryFacts(brand, walk.current), ...(promotion && { promotion }) }
  const house = parseDomain(house_domain)
  if (house === undefined) return { ...facts, relationship_trust: 'standalone', mentions: owned }
  const leaf = { domain: walk.current, brand_id: brand.id, requested: walk.requested }
  const claim = yield* resolveClaim(leaf, house, walk.now)
  return claim === pending ? pending : { ...facts, ...claim, mentions: [...owned, house] }
}

/** Builds the answer for a domain that is its own brand. The house that it names does not list it. */
function buildItself({ requested, named }: Walk): BrandFacts {
  const itself = { canonical_domain: requested, brand_name: requested, mentions: [] }
  return named === undefined
    ? { ...itself, relationship_trust: 'standalone' }
    : { ...itself, claimed_house_domain: named, relationship_trust: 'leaf_only' }
}

/**
 * Builds the answer for a domain whose documents lead to none that counts. If it names a house, whether that
 * cannot be read, loops, or is no house, this is a claim that cannot be verified; else it is no brand.
 */
function buildUnverified(walk: Walk): BrandFacts | undefined {
  if (walk.named === undefined) return undefined
  return { ...buildItself(walk), relationship_trust: 'unverifiable' }
}
