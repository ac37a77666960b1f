import type { Instant } from '../core/clock.ts'
import { isInForce } from './window.ts'

/** Terms of a sale besides agent and property. */
export interface Terms {
  delegation_type?: string | undefined
  /** Two capital letters. */
  country?: string | undefined
  /**
   * Time of the sale: only the windows of grants are judged by it, everything else is as of now.
   */
  at: Instant
  placement_ids?: readonly string[] | undefined
  placement_tags?: readonly string[] | undefined
  collection_ids?: readonly string[] | undefined
  /** Ask for what is granted under any terms of place: countries, placements, collections. */
  anywhere?: boolean | undefined
}

/** The restrictions of a grant; null means none, an empty list admits nothing. */
export interface Restrictions {
  delegation_type: string | null
  countries: readonly string[] | null
  placement_ids: readonly string[] | null
  placement_tags: readonly string[] | null
  collections: readonly { publisher_domain: string; collection_ids: readonly string[] }[] | null
  effective_from: string | null
  effective_until: string | null
}

/** A placement of a publisher's file, and which of its properties and collections it is on. */
export interface Placed {
  placement_id: string
  tags: readonly string[]
  property_ids?: readonly string[] | undefined
  property_tags?: readonly string[] | undefined
  /** Absent: it is on all of them, and on what is of none; an empty list is on nothing. */
  collection_ids?: readonly string[] | undefined
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
  | 'placement_not_in_collection'
  | 'placement_not_listed'
  | 'delegation_not_stated'
  | 'delegation_differs'

/**
 * Judges which rule of a grant admits or stops a sale on these terms. A restriction that the caller
 * does not address stops it: asking less must never open more. Faults that may be omissions of the
 * publisher come last, so that they are reported only when nothing else stops the sale.
 */
export function judgeTerms(
  grant: Restrictions,
  terms: Terms,
  property: OnSale,
  publisher: { domain: string; placements: readonly Placed[] },
): TermsRule {
  if (!isOpen(grant, terms.at)) return 'not_in_window'
  const place = findPlaceRule(grant, terms, property, publisher)
  if (place !== undefined) return place
  if (terms.delegation_type === undefined) return 'granted'
  if (grant.delegation_type === null) return 'delegation_not_stated'
  return grant.delegation_type === terms.delegation_type ? 'granted' : 'delegation_differs'
}

/** Tells whether a grant has a window, so that its answer depends on the time. */
export function isTimed({ effective_from, effective_until }: Restrictions): boolean {
  return effective_from !== null || effective_until !== null
}

/** Tells whether its window is open; a grant without a window is always open. */
export function isOpen(grant: Restrictions, time: Instant): boolean {
  if (!isTimed(grant)) return true
  const { effective_from, effective_until } = grant
  return isInForce(
    {
      ...(effective_from !== null && { effective_from }),
      ...(effective_until !== null && { effective_until }),
    },
    time,
  )
}

/** Judges which limit of a grant stops a sale that names no place at all; undefined if the grant has none. */
export function judgeUnasked(grant: Restrictions): TermsRule | undefined {
  return findPlaceRule(
    grant,
    { at: 0 },
    { property_id: null, tags: [] },
    { domain: '', placements: [] },
  )
}

function findPlaceRule(
  grant: Restrictions,
  terms: Terms,
  property: OnSale,
  publisher: { domain: string; placements: readonly Placed[] },
): TermsRule | undefined {
  return (
    checkCountry(grant, terms) ??
    checkCollections(grant, terms, publisher.domain) ??
    checkPlacements(grant, terms, property, publisher.placements)
  )
}

function checkCountry({ countries }: Restrictions, { country, anywhere }: Terms) {
  if (countries === null) return undefined
  if (country === undefined) return anywhere ? undefined : 'country_not_asked'
  return countries.includes(country) ? undefined : 'country_not_listed'
}

function checkCollections(
  { collections }: Restrictions,
  { collection_ids, anywhere }: Terms,
  publisher: string,
) {
  if (collections === null) return undefined
  if (collection_ids === undefined) return anywhere ? undefined : 'collection_not_asked'
  const listed = collections
    .filter(({ publisher_domain }) => publisher_domain === publisher)
    .flatMap(collection => collection.collection_ids)
  return collection_ids.every(id => listed.includes(id)) ? undefined : 'collection_not_listed'
}

/** Checks that every requested placement is on the property, and admitted by the grant. */
function checkPlacements(
  grant: Restrictions,
  { placement_ids: requestedIds, placement_tags: requestedTags, collection_ids, anywhere }: Terms,
  property: OnSale,
  placements: readonly Placed[],
): TermsRule | undefined {
  const { placement_ids: ids, placement_tags: tags } = grant
  if (requestedIds === undefined && requestedTags === undefined) {
    return (ids === null && tags === null) || anywhere ? undefined : 'placement_not_asked'
  }
  const onProperty = placements.filter(placement => isOn(placement, property))
  const requested = [
    ...(requestedIds ?? []).map(id =>
      onProperty.filter(placement => placement.placement_id === id),
    ),
    ...(requestedTags ?? []).map(tag =>
      onProperty.filter(placement => placement.tags.includes(tag)),
    ),
  ]
  if (requested.length === 0 || requested.some(found => found.length === 0))
    return 'placement_not_known'
  const inCollections = requested.map(found => selectInCollections(found, collection_ids))
  if (inCollections.some(found => found.length === 0)) return 'placement_not_in_collection'
  return inCollections.flat().every(placement => isAdmitted(placement, grant))
    ? undefined
    : 'placement_not_listed'
}

/** Keeps the placements that are in a requested collection; none unless every collection has one. */
function selectInCollections(
  placements: readonly Placed[],
  requested: readonly string[] | undefined,
): readonly Placed[] {
  const isAnywhere = ({ collection_ids }: Placed) => collection_ids === undefined
  if (requested === undefined) {
    return placements.filter(
      ({ collection_ids }) => collection_ids === undefined || collection_ids.length > 0,
    )
  }
  const requestedIds = new Set(requested)
  const inCollections = placements.filter(
    ({ collection_ids }) =>
      collection_ids === undefined || collection_ids.some(id => requestedIds.has(id)),
  )
  const covered = new Set(inCollections.flatMap(placement => placement.collection_ids ?? []))
  return inCollections.some(isAnywhere) || requested.every(id => covered.has(id))
    ? inCollections
    : []
}

function isOn({ property_ids, property_tags }: Placed, { property_id, tags }: OnSale): boolean {
  if (property_id !== null && property_ids?.includes(property_id)) return true
  return property_tags?.some(tag => tags.includes(tag)) ?? false
}

function isAdmitted(
  { placement_id, tags }: Placed,
  { placement_ids, placement_tags }: Restrictions,
): boolean {
  const isListed = placement_ids === null || placement_ids.includes(placement_id)
  return isListed && (placement_tags === null || tags.some(tag => placement_tags.includes(tag)))
}
