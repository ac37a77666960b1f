import type { Instant } from '../core/clock.ts'
import { isInForce } from './window.ts'

/** What is asked about a sale besides who and what. */
export interface Terms {
  delegation_type?: string | undefined
  /** Two capital letters. */
  country?: string | undefined
  /** When: only the windows of grants are judged by it, everything else is as of now. */
  at: Instant
  placement_ids?: readonly string[] | undefined
  placement_tags?: readonly string[] | undefined
  collection_ids?: readonly string[] | undefined
  /** Ask for what is granted under any terms of place: countries, placements, collections. */
  anywhere?: boolean | undefined
}

/** The restrictions of a grant; null is none, an empty list admits nothing. */
export interface Restrictions {
  delegation_type: string | null
  countries: readonly string[] | null
  placement_ids: readonly string[] | null
  placement_tags: readonly string[] | null
  collections: readonly { publisher_domain: string; collection_ids: readonly string[] }[] | null
  effective_from: string | null
  effective_until: string | null
}

/** A placement of a publisher's file, and which of its properties it is on. */
export interface Placed {
  placement_id: string
  tags: readonly string[]
  property_ids?: readonly string[] | undefined
  property_tags?: readonly string[] | undefined
}

interface OnSale {
  property_id: string | null
  tags: readonly string[]
}

export type TermsRule =
  | 'granted'
  | 'not_in_window'
  | 'country_not_asked'
  | 'country_not_listed'
  | 'collection_not_asked'
  | 'collection_not_listed'
  | 'placement_not_asked'
  | 'placement_not_known'
  | 'placement_not_listed'
  | 'delegation_not_stated'
  | 'delegation_differs'

/**
 * Which rule of a grant lets a sale on these terms through, or stops it. A restriction that the asker
 * is silent about stops it: asking less must never open more. What may merely be unsaid by the
 * publisher comes last, so that it is told only when nothing else is in the way.
 */
export function termsRule(
  grant: Restrictions,
  terms: Terms,
  property: OnSale,
  publisher: { domain: string; placements: readonly Placed[] },
): TermsRule {
  if (!isOpen(grant, terms.at)) return 'not_in_window'
  const place = placeRule(grant, terms, property, publisher)
  if (place !== undefined) return place
  if (terms.delegation_type === undefined) return 'granted'
  if (grant.delegation_type === null) return 'delegation_not_stated'
  return grant.delegation_type === terms.delegation_type ? 'granted' : 'delegation_differs'
}

/** Whether a grant has a window, so that its answer depends on when it is asked for. */
export function isTimed({ effective_from, effective_until }: Restrictions): boolean {
  return effective_from !== null || effective_until !== null
}

/** Whether its window is open then; one without a window always is. */
export function isOpen(grant: Restrictions, at: Instant): boolean {
  if (!isTimed(grant)) return true
  const { effective_from, effective_until } = grant
  return isInForce(
    {
      ...(effective_from !== null && { effective_from }),
      ...(effective_until !== null && { effective_until }),
    },
    at,
  )
}

function placeRule(
  grant: Restrictions,
  terms: Terms,
  property: OnSale,
  publisher: { domain: string; placements: readonly Placed[] },
): TermsRule | undefined {
  return (
    countryRule(grant, terms) ??
    collectionRule(grant, terms, publisher.domain) ??
    placementRule(grant, terms, property, publisher.placements)
  )
}

function countryRule({ countries }: Restrictions, { country, anywhere }: Terms) {
  if (countries === null) return undefined
  if (country === undefined) return anywhere ? undefined : 'country_not_asked'
  return countries.includes(country) ? undefined : 'country_not_listed'
}

function collectionRule(
  { collections }: Restrictions,
  { collection_ids, anywhere }: Terms,
  publisher: string,
) {
  if (collections === null) return undefined
  if (collection_ids === undefined) return anywhere ? undefined : 'collection_not_asked'
  const listed = collections
    .filter(({ publisher_domain }) => publisher_domain === publisher)
    .flatMap(one => one.collection_ids)
  return collection_ids.every(id => listed.includes(id)) ? undefined : 'collection_not_listed'
}

/** Every placement that is asked for must be on the property, and admitted by the grant. */
function placementRule(
  { placement_ids: ids, placement_tags: tags }: Restrictions,
  { placement_ids: askedIds, placement_tags: askedTags, anywhere }: Terms,
  property: OnSale,
  placements: readonly Placed[],
): TermsRule | undefined {
  if (askedIds === undefined && askedTags === undefined) {
    return (ids === null && tags === null) || anywhere ? undefined : 'placement_not_asked'
  }
  const here = placements.filter(placement => isOn(placement, property))
  const byId = (askedIds ?? []).map(id => here.filter(one => one.placement_id === id))
  const byTag = (askedTags ?? []).map(tag => here.filter(one => one.tags.includes(tag)))
  const asked = [...byId, ...byTag]
  if (asked.length === 0 || asked.some(found => found.length === 0)) return 'placement_not_known'
  const isAdmitted = (placement: Placed) =>
    (ids === null || ids.includes(placement.placement_id)) &&
    (tags === null || placement.tags.some(tag => tags.includes(tag)))
  return asked.flat().every(isAdmitted) ? undefined : 'placement_not_listed'
}

function isOn({ property_ids, property_tags }: Placed, { property_id, tags }: OnSale): boolean {
  if (property_id !== null && property_ids?.includes(property_id)) return true
  return property_tags?.some(tag => tags.includes(tag)) ?? false
}
