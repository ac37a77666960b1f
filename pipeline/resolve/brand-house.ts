import { DAY, type Instant } from '../core/clock.ts'
import { type Domain, parseDomain } from '../core/domain.ts'
import { getEffect } from '../core/outcomes.ts'
import type { BrandDocument, BrandRef } from '../model/documents/index.ts'
import { NOWHERE } from '../model/file-state.ts'
import {
  type BrandFacts,
  findNextPlace,
  HOPS_MAX,
  isOwnPortfolio,
  type Place,
  type Portfolio,
} from './brand-facts.ts'
import { ask, type Derivation, type KnownFile, type Pending, pending, wake } from './derivation.ts'
import type { FileState } from './validity.ts'

/** Age up to which a house's reference to a brand counts. */
const DECLARATION_AGE_MAX_MS = 180 * DAY
/** Time for which a house's last document counts while its file cannot be fetched. */
const HOUSE_RETENTION_MS = DAY

export type Claim = Pick<
  BrandFacts,
  | 'house_domain'
  | 'house_name'
  | 'claimed_house_domain'
  | 'relationship_trust'
  | 'relationship_declared_at'
>

/** A brand whose own file names a house. */
export interface Leaf {
  domain: Domain
  brand_id: string
  /** Domain of the brand: the file there has led to the leaf. */
  requested: Domain
}

/** Resolves whether the house that a leaf names, names it back. */
export function* resolveClaim(
  leaf: Leaf,
  house: Domain,
  now: Instant,
): Derivation<Claim | Pending> {
  const found = yield* findPortfolio(house, leaf.requested, now)
  if (found === pending) return pending
  const claim = { claimed_house_domain: house }
  if (found === undefined) return { ...claim, relationship_trust: 'unverifiable' }
  const mutual = yield* resolveMutual(leaf, found.document, found.domain, now)
  return mutual ?? { ...claim, relationship_trust: 'leaf_only' }
}

/** The portfolio of a house, and its domain. */
export interface FoundPortfolio {
  document: Portfolio
  domain: Domain
}

/**
 * Finds the portfolio of a house that somebody looks for, following the house's own redirects; those that
 * lead back to where the search began lead to no house.
 */
export function* findPortfolio(
  house: Domain,
  from: Domain,
  now: Instant,
): Derivation<FoundPortfolio | Pending | undefined> {
  const visited = new Set<string>([from])
  let at: Place = { current: house, location: house }
  while (visited.size <= HOPS_MAX + 1 && !visited.has(at.location)) {
    visited.add(at.location)
    const file = yield* ask('brand.json', at.location)
    if (file.validity === 'unknown') return pending
    const document = yield* resolveConfirmed(file, now)
    const next = document && findNextPlace(at, document)
    if (document === undefined || next === NOWHERE) return undefined
    if (next === undefined) {
      if (document.variant !== 'house_portfolio' || !isOwnPortfolio(at, document)) return undefined
      return { document, domain: at.current }
    }
    at = next
  }
  return undefined
}

/**
 * Resolves the document of a house while the house confirms it. A file that cannot be fetched is trusted
 * for a day after it was last read; one that answers "no" is no longer trusted, also if it cannot be
 * fetched after that.
 */
function* resolveConfirmed(
  { document, validity, state }: KnownFile<'brand.json'>,
  now: Instant,
): Derivation<BrandDocument | undefined> {
  if (document === undefined || validity === 'expired') return undefined
  if (state === undefined || state.outcome === null) return document
  if (getEffect(state.outcome) === 'success') return document
  if (state.succeeded_at === null || isMissing(state)) return undefined
  const until = state.succeeded_at + HOUSE_RETENTION_MS
  yield* wake(until)
  return now < until ? document : undefined
}

/**
 * Tells whether the file has been missing since it was last read. A web page in its place (`garbled`) says
 * nothing: then the attempt before it decides.
 */
function isMissing({ effect, stale_at, streak_since }: FileState): boolean {
  if (effect !== 'garbled') return effect !== 'success'
  return stale_at !== null && streak_since !== null && stale_at < streak_since
}

/** Resolves the relationship if the house names the leaf now. */
function* resolveMutual(
  leaf: Leaf,
  { brand_refs, house }: Portfolio,
  domain: Domain,
  now: Instant,
): Derivation<Claim | undefined> {
  const ref = brand_refs.find(
    entry => parseDomain(entry.domain) === leaf.domain && entry.brand_id === leaf.brand_id,
  )
  const declared = ref && (yield* resolveDeclaredSince(ref, now))
  if (declared === undefined) return undefined
  return {
    house_domain: domain,
    house_name: house.name,
    relationship_trust: 'mutual',
    relationship_declared_at: declared,
  }
}

/**
 * Resolves the time since which the house names the brand, if that counts now: not in the future, and not
 * too old. A house that gives no time is held to the first time this was observed.
 */
export function* resolveDeclaredSince(ref: BrandRef, now: Instant): Derivation<string | undefined> {
  const since = ref.effective_at ?? ref.first_seen_at
  if (since === undefined) return undefined
  const from = Date.parse(since)
  yield* wake(from)
  yield* wake(from + DECLARATION_AGE_MAX_MS)
  return from <= now && now < from + DECLARATION_AGE_MAX_MS ? since : undefined
}
