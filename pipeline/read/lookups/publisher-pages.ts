import { requireValue } from '../../core/present.ts'
import type { PublisherLookup } from '../../model/responses/index.ts'
import { ROLLUP_AGENTS_MAX, toPropertyItem } from '../../serving/documents.ts'
import type { Reader } from '../reader.ts'
import { listDeclared } from './agents.ts'
import { findGrantFacts } from './grant-facts.ts'
import { findInventory, type Inventory } from './inventory.ts'
import { buildUnknownPublisher, findPublisher } from './publisher-lookup.ts'
import { findGrantScope } from './reach.ts'

/** Properties of a brand.json that the lookup of its domain shows. */
const DECLARED_PROPERTIES_MAX = 200

export interface PageQuery {
  limit: number
  /** Public address of the registry. */
  base: string
  /** Number of properties and agents on the pages before. */
  cursor: number
  /** Takes as many items as fit in half of the answer. */
  fitHalf<Item>(items: readonly Item[]): Item[]
}

/** Reads the lookup of a publisher as an object, also if nothing is stored about it. */
function readPublisher(reader: Reader, domain: string, base: string): PublisherLookup {
  const found = findPublisher(reader, domain, base)
  return found ? JSON.parse(found.body.toString()) : buildUnknownPublisher(reader, domain)
}

/** Tells whether a lookup of a domain says anything of what its files or members list. */
export function isPublisherKnown(reader: Reader, domain: string): boolean {
  const { serving } = reader
  const isStored = serving?.has('publisher', domain) || serving?.has('property', domain)
  return isStored || listDeclared(reader, domain).length > 0
}

/**
 * Builds a page of a publisher's properties and of its agents: the same range of both lists, so that one
 * cursor covers them.
 */
export function buildPublisherPage(reader: Reader, domain: string, asked: PageQuery): object {
  const base = omitCuts(readPublisher(reader, domain, asked.base))
  const inventory = findInventory(reader, domain)
  const hasInventory = inventory !== undefined && inventory.properties.length > 0
  const lent = hasInventory || base.properties.length > 0 ? [] : listDeclaredItems(reader, domain)
  if (inventory === undefined && lent.length === 0) return base
  const { limit, cursor, fitHalf } = asked
  const all = hasInventory ? inventory.properties : lent
  const everyone = inventory === undefined ? [] : listAgents(inventory)
  const rows = hasInventory
    ? inventory.properties
        .slice(cursor, cursor + limit)
        .map(row => ({ ...toPropertyItem(row), source: 'adagents_json' }))
    : lent.slice(cursor, cursor + limit)
  const urls = everyone.slice(cursor, cursor + limit)
  const properties = fitHalf<object>(rows)
  const agents = fitHalf(
    urls.map((url, i) => ({
      ...toAgent(
        requireValue(inventory, 'inventory'),
        url,
        lent.length === 0 && cursor + i < ROLLUP_AGENTS_MAX,
      ),
      ...findGrantScope(reader, url, domain),
      ...findGrantFacts(reader, url, domain),
    })),
  )
  const isCut = [properties.length < rows.length, agents.length < urls.length]
  const step = Math.min(isCut[0] ? properties.length : limit, isCut[1] ? agents.length : limit)
  // An item that is larger than a page is skipped, so that a page always makes progress.
  const end = cursor + Math.max(step, 1)
  const isLast = end >= all.length && end >= everyone.length
  return {
    ...base,
    properties: properties.slice(0, step),
    properties_total: all.length,
    authorized_agents: agents.slice(0, step),
    authorized_agents_total: everyone.length,
    has_more: !isLast,
    next_cursor: isLast ? null : String(end),
  }
}

/** Removes the counts of cut lists, which are wrong for other pages. */
function omitCuts(lookup: PublisherLookup): PublisherLookup {
  const cuts = ['properties_truncated', 'authorized_agents_truncated', 'next_cursor']
  const members = Object.entries(lookup).filter(([name]) => !cuts.includes(name))
  return Object.fromEntries(members) as PublisherLookup
}

function listAgents(inventory: Inventory): string[] {
  return [...inventory.agents]
    .filter(url => inventory.grantsTo(url).some(grant => grant.in_force))
    .sort()
}

function toAgent(inventory: Inventory, url: string, isCounted: boolean): object {
  const grants = inventory.grantsTo(url).filter(grant => grant.in_force)
  const words = grants[0]?.authorized_for ?? null
  const total = inventory.stored.property_count
  const reached = isCounted
    ? inventory.properties.filter(
        property => property.status === 'active' && grants.some(grant => grant.reaches(property)),
      ).length
    : 0
  return {
    url,
    ...(words !== null && { authorized_for: words }),
    source: 'adagents_json',
    ...(isCounted && {
      properties_authorized: reached,
      properties_total: total,
      publisher_wide: total > 0 && reached === total,
    }),
  }
}

/** Lists the properties that the brand.json of a domain declares, each once. */
function listDeclaredItems(reader: Reader, domain: string): object[] {
  const once = new Map(
    listDeclared(reader, domain).map(
      declaration =>
        [`${declaration.type}:${declaration.identifier.toLowerCase()}`, declaration] as const,
    ),
  )
  return [...once.values()].map(({ type, identifier, relationship }) => ({
    type,
    property_type: type,
    name: identifier,
    identifiers: [{ type: type === 'website' ? 'domain' : type, value: identifier }],
    tags: [`relationship:${relationship}`],
    source: 'brand_json',
    ...(relationship !== 'owned' && { delegation_type: relationship }),
  }))
}

/**
 * Adds the properties of a domain's brand.json to a lookup whose adagents.json lists none. How many
 * of them an agent can sell is unknown, so there are no counts.
 */
export function withDeclared(reader: Reader, lookup: PublisherLookup): PublisherLookup | undefined {
  if (lookup.properties.length > 0) return undefined
  const properties = listDeclaredItems(reader, lookup.domain)
  if (properties.length === 0) return undefined
  const agents = lookup.authorized_agents.map(
    ({ properties_authorized: _, properties_total: __, publisher_wide: ___, ...agent }) => agent,
  )
  return {
    ...lookup,
    properties: properties.slice(0, DECLARED_PROPERTIES_MAX),
    ...(properties.length > DECLARED_PROPERTIES_MAX && {
      properties_total: properties.length,
      properties_truncated: true,
      next_cursor: String(DECLARED_PROPERTIES_MAX),
    }),
    authorized_agents: agents,
  } as unknown as PublisherLookup
}
