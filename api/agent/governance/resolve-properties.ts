import { type Publisher, publishers } from '../catalogue/publishers.ts'
import type { Filters, Identifier, PropertyList, Source } from './property-list.ts'

interface ResolvedList {
  identifiers: Identifier[]
  /** Properties that are on the list although a feature was not measured, by that feature. */
  gaps: Record<string, Identifier[]>
}

/** Finds the properties of a list: those of its sources that its filters leave. */
export function resolveProperties({ content }: PropertyList): ResolvedList {
  const { base_properties: sources, filters = {} } = content
  const named = sources ? sources.flatMap(listOfSource) : publishers.map(toIdentifier)
  const unique = new Map(named.map(identifier => [toKey(identifier), identifier]))
  const identifiers = [...unique.values()].filter(identifier => isWithin(identifier, filters))
  const lenient = filters.feature_requirements ?? []
  const gaps = Object.fromEntries(lenient.map(({ feature_id }) => [feature_id, identifiers]))
  return { identifiers, gaps: identifiers.length > 0 ? gaps : {} }
}

/** Tells which identifiers a list has: a domain stands for its www and m hosts, `*.` for all below it. */
export function buildMatcher(identifiers: readonly Identifier[]): (found: Identifier) => boolean {
  const known = new Set(identifiers.map(toKey))
  const has = (value: string) => known.has(toKey({ type: 'domain', value }))
  return ({ type, value }) => {
    if (known.has(toKey({ type, value }))) return true
    if (!isOfWeb(type)) return false
    const host = value.toLowerCase()
    const above = host.split('.').map((_, at, labels) => labels.slice(at + 1).join('.'))
    return has(host) || has(host.replace(/^(?:www|m)\./, '')) || above.some(at => has(`*.${at}`))
  }
}

/** Tells whether a type of identifier is a host of the web. */
export function isOfWeb(type: string): boolean {
  return type === 'domain' || type === 'subdomain'
}

function listOfSource(source: Source): Identifier[] {
  if (source.selection_type === 'identifiers') return source.identifiers
  // Publishers are known here by their site, and by what it is about; none has properties with ids.
  if (source.selection_type === 'publisher_ids') return []
  const publisher = publishers.find(({ domain }) => domain === source.publisher_domain)
  return publisher?.topics.some(topic => source.tags.includes(toTag(topic)))
    ? [toIdentifier(publisher)]
    : []
}

function isWithin(identifier: Identifier, filters: Filters): boolean {
  const { countries_all, channels_any, property_types, feature_requirements } = filters
  const publisher = isOfWeb(identifier.type)
    ? publishers.find(({ domain }) => domain === identifier.value.toLowerCase())
    : undefined
  const isOut = filters.exclude_identifiers && buildMatcher(filters.exclude_identifiers)(identifier)
  return (
    !isOut &&
    (!countries_all || countries_all.every(country => publisher?.countries.includes(country))) &&
    (!channels_any || channels_any.some(channel => hasChannel(publisher, channel))) &&
    (!property_types || (isOfWeb(identifier.type) && property_types.includes('website'))) &&
    // No feature of a property is measured here.
    (!feature_requirements || feature_requirements.every(it => it.if_not_covered === 'include'))
  )
}

function hasChannel(publisher: Publisher | undefined, channel: string): boolean {
  return publisher?.channels.some(offered => offered === channel) ?? false
}

function toTag(topic: string): string {
  return topic.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
}

function toIdentifier({ domain }: Publisher): Identifier {
  return { type: 'domain', value: domain }
}

function toKey({ type, value }: Identifier): string {
  return isOfWeb(type) ? `domain ${value.toLowerCase()}` : `${type} ${value}`
}
