import { z } from 'zod'
import { findAgent } from '../../pipeline/index/points/agents.ts'
import { type Place, placesOf, propertyAt } from '../../pipeline/index/points/candidates.ts'
import { findInventory, type StockedProperty } from '../../pipeline/index/points/inventory.ts'
import { plainSales } from '../../pipeline/index/points/plain-sales.ts'
import { publishersAfter } from '../../pipeline/index/points/reach.ts'
import { SinceCommit } from '../../pipeline/index/points/since-commit.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { AgentDomains, PropertyLookup } from '../../pipeline/model/answers-authority.ts'
import type { Identifier } from '../../pipeline/model/documents.ts'
import { isGranted } from '../../pipeline/resolve/authority.ts'
import { Room } from '../bounds.ts'
import { PastedDomain, whole } from '../fields.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'
import { parseAgent } from '../sale-input.ts'

export const lookUpProperty = operation({
  id: 'lookUpProperty',
  method: 'GET',
  path: '/api/registry/lookup/property',
  group: 'Lookups & Authorization',
  summary: 'The agents that may sell what an identifier names',
  description:
    'Lists grants in force, under whatever terms they hold. A domain also means its `www.` and `m.`, ' +
    'and is found under a wildcard over its parents.',
  access: 'public',
  cache: 'revalidate',
  query: z.object({
    type: z.string().min(1).max(100),
    value: z.string().min(1).max(2_048),
    limit: whole({ min: 1, max: 1_000, default: 1_000, clamp: true }),
    cursor: whole({ min: 0, max: 1e9, default: 0 }),
  }),
  reply: { 200: PropertyLookup },
  errors: ['invalid_request'],
  handle: ({ query: { type, value, limit, cursor }, services: { reader } }) => {
    const all = sellersOf(reader, { type, value })
    const shown = new Room().takeJson(jsonOf(all.slice(cursor, cursor + limit)))
    const end = cursor + shown.length
    const head = JSON.stringify({ type, value }).slice(0, -1)
    const rest = JSON.stringify({
      count: shown.length,
      ...(shown.length < all.length && { agents_total: all.length, agents_truncated: true }),
      ...(end < all.length && { next_cursor: String(end) }),
    })
    return ok(`${head},"agents":[${shown.join()}],${rest.slice(1)}`)
  },
})

/** An agent that may sell a property, as answers list it. */
interface Seller {
  agent_url: string
  publisher_domain: string
  /** As JSON, where it was not parsed. */
  property: StockedProperty | string
  order: string
  json?: string
}

/** `isTimed`: some of them only now. */
interface Sellers {
  all: readonly Seller[]
  isTimed: boolean
}

const KEPT_BYTES = 32 * 1024 * 1024
const SELLER_BYTES = 800
const kept = new SinceCommit<Sellers>(KEPT_BYTES, ({ all }) => SELLER_BYTES * (1 + all.length))

/** Each agent once for each property and publisher, by publisher and agent. */
function sellersOf(reader: Reader, asked: Identifier): readonly Seller[] {
  if (reader.serving === undefined) return []
  const question = `${asked.type.length} ${asked.type} ${asked.value}`
  const found = kept.get(reader.serving, question, () => findSellers(reader, asked))
  return found.isTimed ? findSellers(reader, asked).all : found.all
}

function findSellers(reader: Reader, asked: Identifier): Sellers {
  const all: Seller[] = []
  let isTimed = false
  for (const place of placesOf(reader, asked)) {
    const plain = plainSellers(reader, place)
    if (plain === undefined) isTimed = judgedSellers(reader, place, all) || isTimed
    else all.push(...plain)
  }
  return { all: all.sort((a, b) => (a.order < b.order ? -1 : 1)), isTimed }
}

/** Those of a publisher that grants all or nothing; undefined where it takes more. */
function plainSellers(reader: Reader, { rid, owner, publishers }: Place): Seller[] | undefined {
  const sales = publishers.length === 1 ? plainSales(reader, owner) : undefined
  const shown = sales?.property(rid)
  if (sales === undefined || shown === undefined) return undefined
  const head = `{"id":"${rid}","property_rid":"${rid}","property_id":${shown.id}`
  const property = `${head},"publisher_domain":"${owner}",${shown.members}}`
  return sales.sellers.map(agent => sellerOf(agent, owner, rid, property))
}

/** Adds those that grants let through, one by one; whether any grant counts only at times. */
function judgedSellers(reader: Reader, place: Place, all: Seller[]): boolean {
  const terms = { at: reader.now(), anywhere: true }
  let isTimed = false
  const property = propertyAt(reader, place)
  if (property === undefined) return false
  for (const publisher of place.publishers) {
    const inventory = findInventory(reader, publisher)
    if (inventory === undefined) continue
    isTimed ||= inventory.isTimed
    for (const agent of inventory.agents) {
      if (!isGranted(property, inventory.granting(agent), terms)) continue
      all.push(sellerOf(agent, publisher, property.property_rid, property))
    }
  }
  return isTimed
}

function sellerOf(
  agent_url: string,
  publisher_domain: string,
  rid: string,
  property: Seller['property'],
): Seller {
  return { agent_url, publisher_domain, property, order: `${publisher_domain} ${agent_url} ${rid}` }
}

/** A property that many may sell is spelled once. */
function jsonOf(sellers: readonly Seller[]): string[] {
  const spelled = new Map<StockedProperty, string>()
  const spell = (property: StockedProperty) => {
    const shown = spelled.get(property) ?? JSON.stringify(propertyShown(property))
    spelled.set(property, shown)
    return shown
  }
  return sellers.map(seller => {
    if (seller.json !== undefined) return seller.json
    const { agent_url, publisher_domain, property } = seller
    const shown = typeof property === 'string' ? property : spell(property)
    seller.json = `{"agent_url":${JSON.stringify(agent_url)},"publisher_domain":"${publisher_domain}","property":${shown}}`
    return seller.json
  })
}

function propertyShown(property: StockedProperty) {
  return {
    id: property.property_rid,
    property_rid: property.property_rid,
    property_id: property.property_id ?? property.property_rid,
    publisher_domain: property.publisher_domain,
    property_type: property.property_type,
    name: property.name,
    identifiers: property.identifiers,
    tags: property.tags,
  }
}

export const lookUpAgentDomains = operation({
  id: 'lookUpAgentDomains',
  method: 'GET',
  path: '/api/registry/lookup/agent/:agentUrl/domains',
  group: 'Lookups & Authorization',
  summary: 'The publishers that grant an agent anything',
  description: 'By name. An agent that nobody knows has none.',
  access: 'public',
  cache: 'revalidate',
  params: z.object({ agentUrl: z.string() }),
  query: z.object({
    limit: whole({ min: 1, max: 5_000, default: 5_000, clamp: true }),
    cursor: PastedDomain.optional(),
  }),
  reply: { 200: AgentDomains },
  errors: ['invalid_request'],
  handle: ({ params: { agentUrl }, query: { limit, cursor }, services: { reader } }) => {
    const agent = findAgent(reader, parseAgent('agentUrl', agentUrl))
    const found = publishersAfter(reader, agent.agent_url, { after: cursor, limit: limit + 1 })
    const domains = new Room().take(found.slice(0, limit))
    const total = agent.publisher_count
    return ok({
      agent_url: agentUrl,
      domains,
      count: domains.length,
      freshness: freshnessOf(reader, 'agent', agent.agent_url),
      ...(domains.length < total && { domains_total: total, domains_truncated: true }),
      ...(domains.length < found.length && { next_cursor: domains.at(-1) }),
    })
  },
})
