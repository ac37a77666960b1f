import type { PublisherLookup } from '../../model/answers.ts'
import { propertyItemOf, ROLLUP } from '../answers.ts'
import type { Reader } from '../reader.ts'
import { declaredAt } from './agents.ts'
import { findInventory, type Inventory } from './inventory.ts'
import { findPublisher, unknownPublisher } from './lookups.ts'

/** Properties that a brand.json lends to the lookup of its domain. */
const DECLARED = 200

export interface PageAsked {
  limit: number
  /** How many properties and agents the pages before have shown. */
  cursor: number
  /** As many items of a list as half of the room of the answer holds. */
  takeHalf<Item>(items: readonly Item[]): Item[]
}

/** The lookup of a publisher as an object: of one that nothing is stored of, too. */
function publisherObject(reader: Reader, domain: string): PublisherLookup {
  const found = findPublisher(reader, domain)
  return found ? JSON.parse(found.body.toString()) : unknownPublisher(reader, domain)
}

/**
 * A page of a publisher's properties and of its agents: the same stretch of both lists, so that one
 * cursor goes through them.
 */
export function publisherPage(reader: Reader, domain: string, asked: PageAsked): object {
  const whole = withoutCuts(publisherObject(reader, domain))
  const inventory = findInventory(reader, domain)
  if (inventory === undefined) return whole
  const { limit, cursor, takeHalf } = asked
  const all = inventory.properties
  const everyone = agentsIn(inventory)
  const rows = all.slice(cursor, cursor + limit)
  const urls = everyone.slice(cursor, cursor + limit)
  const properties = takeHalf(
    rows.map(row => ({ ...propertyItemOf(row), source: 'adagents_json' })),
  )
  const agents = takeHalf(urls.map((url, i) => agentOf(inventory, url, cursor + i < ROLLUP)))
  const isCut = [properties.length < rows.length, agents.length < urls.length]
  const step = Math.min(isCut[0] ? properties.length : limit, isCut[1] ? agents.length : limit)
  // One item that is larger than all the room is passed over: a page always leads on.
  const end = cursor + Math.max(step, 1)
  const isLast = end >= all.length && end >= everyone.length
  return {
    ...whole,
    properties: properties.slice(0, step),
    properties_total: all.length,
    authorized_agents: agents.slice(0, step),
    authorized_agents_total: everyone.length,
    ...(!isLast && { next_cursor: String(end) }),
  }
}

/** What is said of where the stored lists were cut is not so of other stretches of them. */
function withoutCuts(lookup: PublisherLookup): PublisherLookup {
  const cuts = ['properties_truncated', 'authorized_agents_truncated', 'next_cursor']
  const kept = Object.entries(lookup).filter(([name]) => !cuts.includes(name))
  return Object.fromEntries(kept) as PublisherLookup
}

function agentsIn(inventory: Inventory): string[] {
  return [...inventory.agents]
    .filter(url => inventory.grantsTo(url).some(grant => grant.in_force))
    .sort()
}

function agentOf(inventory: Inventory, url: string, isCounted: boolean): object {
  const grants = inventory.grantsTo(url).filter(grant => grant.in_force)
  const words = grants[0]?.authorized_for ?? null
  const total = inventory.stored.property_count
  const reached = isCounted
    ? inventory.properties.filter(one => grants.some(grant => grant.reaches(one))).length
    : 0
  return {
    url,
    ...(words !== null && { authorized_for: words }),
    source: 'adagents_json',
    authorization_types: [...new Set(grants.map(grant => grant.authorization_type))],
    ...(isCounted && {
      properties_authorized: reached,
      properties_total: total,
      publisher_wide: total > 0 && reached === total,
    }),
  }
}

/**
 * What a domain's brand.json lists, for a domain whose adagents.json lists nothing. How much of it an
 * agent may sell nobody has said, so no counts are told.
 */
export function withDeclared(reader: Reader, lookup: PublisherLookup): PublisherLookup | undefined {
  if (lookup.properties.length > 0) return undefined
  const declared = declaredAt(reader, lookup.domain)
  if (declared.length === 0) return undefined
  const once = new Map(
    declared.map(one => [`${one.type}:${one.identifier.toLowerCase()}`, one] as const),
  )
  const properties = [...once.values()].map(({ type, identifier, relationship }) => ({
    type,
    property_type: type,
    name: identifier,
    identifiers: [{ type: type === 'website' ? 'domain' : type, value: identifier }],
    tags: [`relationship:${relationship}`],
    source: 'brand_json',
    ...(relationship !== 'owned' && { delegation_type: relationship }),
  }))
  const agents = lookup.authorized_agents.map(
    ({ properties_authorized: _, properties_total: __, publisher_wide: ___, ...agent }) => agent,
  )
  return {
    ...lookup,
    properties: properties.slice(0, DECLARED),
    ...(properties.length > DECLARED && {
      properties_total: properties.length,
      properties_truncated: true,
    }),
    authorized_agents: agents,
  } as unknown as PublisherLookup
}
