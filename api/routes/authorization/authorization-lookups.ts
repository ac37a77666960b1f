import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import type { Identifier } from '../../../pipeline/model/documents/index.ts'
import { AgentDomains, PropertyLookup } from '../../../pipeline/model/responses/authority.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import { declareCache } from '../../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../../pipeline/read/cache/commit-cache.ts'
import { findAgent, findOperatorSide } from '../../../pipeline/read/lookups/agents.ts'
import {
  findProperty,
  findPropertyPlaces,
  type PropertyPlace,
} from '../../../pipeline/read/lookups/candidates.ts'
import {
  findPublishersFreshness,
  listFilesOfIdentifier,
} from '../../../pipeline/read/lookups/deciding-files.ts'
import { findGrantFacts, isLimiting } from '../../../pipeline/read/lookups/grant-facts.ts'
import { findInventory, type StockedProperty } from '../../../pipeline/read/lookups/inventory.ts'
import { findSideOfSale } from '../../../pipeline/read/lookups/operator-sides.ts'
import { findGrantScope, listPublishersAfter } from '../../../pipeline/read/lookups/reach.ts'
import {
  listIdentifierKeys,
  listReachKeys,
  listSellerKeys,
} from '../../../pipeline/read/lookups/surrogate-keys.ts'
import {
  findPastFacts,
  listPastPlaces,
  listPastPublishers,
  loadPastInventory,
  toPastFacts,
} from '../../../pipeline/read/queries/past-states.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { findMissingTerm, findNeedsOfSale, isGranted } from '../../../pipeline/resolve/authority.ts'
import { asOf, listPastKeys } from '../../inputs/as-of.ts'
import { createPageSize, domainCursor, pageCursor } from '../../inputs/fields.ts'
import { checkValue, IdentifierType } from '../../inputs/identifier.ts'
import { parseAgent } from '../../inputs/sale.ts'
import { findDemandedFreshness } from '../../live/deciding-freshness.ts'
import type { Demand } from '../../live/demand.ts'
import { defineOperation } from '../../operation/operation.ts'
import { formatMembers } from '../../responses/cached-members.ts'
import { buildPageEnd } from '../../responses/lists.ts'
import { findMeant, listMeantKeys } from '../../responses/meant-agents.ts'
import { findPast, type Past } from '../../responses/past.ts'
import { replyOk } from '../../responses/reply.ts'
import { ResponseBudget } from '../../responses/response-budget.ts'

export const lookUpProperty = defineOperation({
  id: 'lookUpProperty',
  method: 'GET',
  path: '/api/registry/lookup/property',
  group: 'Lookups & Authorization',
  summary: 'Look up the agents that publishers authorize to sell ads on a property',
  description:
    'Returns all grants in force; limited ones have `needs`. If a grant is `contradicted`, the agent cannot sell ads on this property. A domain also matches its `www.` and `m.` forms and wildcards of its parents.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ query: { type, value, as_of }, reader }) => [
    ...listIdentifierKeys(reader, { type, value }, listSellerKeys),
    ...listPastKeys(as_of),
  ],
  query: z
    .object({
      type: IdentifierType,
      value: z.string().min(1).max(2_048).describe('The identifier itself'),
      as_of: asOf,
      limit: createPageSize({ defaultSize: 1_000, max: 1_000 }),
      cursor: pageCursor.describe('`next_cursor` of the previous page'),
    })
    .superRefine(checkValue('type', 'value')),
  reply: { 200: PropertyLookup },
  errors: ['invalid_request'],
  handle: async ({ query: { type, value, limit, ...query }, caller, services }) => {
    const { reader } = services
    const cursor = Number(query.cursor ?? 0)
    const past = query.as_of === undefined ? undefined : await findPast(reader, query.as_of)
    const sellers = past ? undefined : loadSellers(reader, { type, value })
    const all = past ? await loadPastSellers(past, { type, value }) : (sellers?.all ?? [])
    const page = all
      .slice(cursor, cursor + limit)
      .map(seller => (seller.text ??= formatSeller(seller, findFactsOfSeller(reader, seller))))
    const agents = new ResponseBudget().take(page, text => text)
    const freshness = sellers && findFreshness(services, sellers, { type, value }, caller)
    const rest = {
      count: agents.length,
      ...(freshness && { freshness }),
      ...(past && { as_of: toIso(past.at) }),
      ...(agents.length < all.length && { agents_total: all.length, agents_truncated: true }),
      ...buildPageEnd(cursor, agents.length, all.length),
    }
    return replyOk(
      `{${formatMembers({ type, value })},"agents":[${agents.join()}],${formatMembers(rest)}}`,
    )
  },
})

/** An agent that can sell a property, as answers list it. */
interface Seller {
  agent_url: string
  publisher_domain: string
  property: StockedProperty
  /** Sort key: by publisher, agent and property. */
  order: string
  /** The seller as JSON; that of a current one is made when it is first shown, and cached with it. */
  text?: string
}

/** Sellers of a property, and the publishers that list it; `isTimed` if the answer depends on the time. */
interface Sellers {
  all: readonly Seller[]
  publishers: readonly string[]
  isTimed: boolean
}

const CACHE_BYTES_MAX = 32 * 1024 * 1024
const SELLER_BYTES = 1_200
const sellersByIdentifier = declareCache(
  () => new CommitCache<Sellers>(CACHE_BYTES_MAX, ({ all }) => SELLER_BYTES * (1 + all.length)),
)

/** Finds how fresh the files behind the sellers are; undefined where no file could list the identifier. */
function findFreshness(
  services: { demand: Demand; reader: Reader },
  { publishers }: Sellers,
  identifier: Identifier,
  caller: () => string,
): FreshnessBlock | undefined {
  if (publishers.length > 0) return findPublishersFreshness(services.reader, publishers)
  const files = listFilesOfIdentifier(identifier)
  return files.length === 0 ? undefined : findDemandedFreshness(services, files, caller)
}

/** Loads each agent once for each property and publisher, ordered by publisher and agent. */
function loadSellers(reader: Reader, identifier: Identifier): Sellers {
  if (reader.serving === undefined) return { all: [], publishers: [], isTimed: false }
  const question = `${identifier.type.length} ${identifier.type} ${identifier.value}`
  const found = sellersByIdentifier(reader).get(reader.serving, question, () =>
    findSellers(reader, identifier),
  )
  return found.isTimed ? findSellers(reader, identifier) : found
}

function findSellers(reader: Reader, identifier: Identifier): Sellers {
  const all: Seller[] = []
  let isTimed = false
  const places = findPropertyPlaces(reader, identifier)
  for (const place of places) {
    const plain = findPlainSellers(reader, place)
    if (plain === undefined) isTimed = judgeSellers(reader, place, all) || isTimed
    else all.push(...plain)
  }
  const publishers = [...new Set(places.flatMap(place => place.publishers))]
  return { all: all.sort((a, b) => (a.order < b.order ? -1 : 1)), publishers, isTimed }
}

/** Finds the sellers of a publisher that grants all or nothing; undefined if each must be judged. */
function findPlainSellers(
  reader: Reader,
  { rid, owner, publishers }: PropertyPlace,
): Seller[] | undefined {
  const inventory = publishers.length === 1 ? findInventory(reader, owner) : undefined
  const property = inventory?.property(rid)
  if (inventory?.stored.sellers === undefined || property === undefined) return undefined
  return inventory.stored.sellers.map(agent => toSeller(agent, owner, property))
}

/** Adds the sellers that grants admit, one by one; returns whether any grant depends on the time. */
function judgeSellers(reader: Reader, place: PropertyPlace, all: Seller[]): boolean {
  const terms = { at: reader.now(), anywhere: true }
  let isTimed = false
  const property = findProperty(reader, place)
  if (property === undefined) return false
  for (const publisher of place.publishers) {
    const inventory = findInventory(reader, publisher)
    if (inventory === undefined) continue
    isTimed ||= inventory.isTimed
    for (const agent of inventory.agents) {
      if (!isGranted(property, inventory.granting(agent), terms)) continue
      all.push(toSeller(agent, publisher, property))
    }
  }
  return isTimed
}

/** Loads who could sell a property at a time of the past, in the order of `loadSellers`. */
async function loadPastSellers({ snapshot, at }: Past, identifier: Identifier): Promise<Seller[]> {
  const all: Seller[] = []
  for (const { rid, owner, publishers } of await listPastPlaces(snapshot, identifier, at)) {
    const property = (await loadPastInventory(snapshot, owner, at))?.property(rid)
    if (!property?.is_active) continue
    for (const publisher of publishers) {
      const inventory = await loadPastInventory(snapshot, publisher, at)
      if (inventory === undefined) continue
      for (const agent of inventory.agents) {
        const granting = inventory.granting(agent)
        if (!isGranted(property, granting, { at, anywhere: true })) continue
        const facts = toPastFacts(findMissingTerm(property, granting, { at }))
        const seller = toSeller(agent, publisher, property)
        all.push({ ...seller, text: formatSeller(seller, facts) })
      }
    }
  }
  return all.sort((a, b) => (a.order < b.order ? -1 : 1))
}

function toSeller(agent_url: string, publisher_domain: string, property: StockedProperty): Seller {
  const order = `${publisher_domain} ${agent_url} ${property.property_rid}`
  return { agent_url, publisher_domain, property, order }
}

function findFactsOfSeller(reader: Reader, seller: Seller) {
  const { agent_url, property, publisher_domain } = seller
  const terms = { at: reader.now(), anywhere: true }
  const side = findSideOfSale(reader, agent_url, property, publisher_domain, terms)
  const needs = findNeedsOfSeller(reader, seller)
  return { ...side, ...(needs && { needs }) }
}

/** Finds what a verdict about a sale has to be asked with: what it says itself, unless the operator contradicts. */
function findNeedsOfSeller(reader: Reader, { agent_url, property, publisher_domain }: Seller) {
  const inventory = isLimiting(reader, publisher_domain)
    ? findInventory(reader, publisher_domain)
    : undefined
  if (inventory === undefined) return undefined
  const terms = { at: reader.now() }
  const granting = inventory.granting(agent_url)
  const operating = findOperatorSide(reader, findAgent(reader, agent_url))
  return findNeedsOfSale(property, granting, operating, terms)
}

function formatSeller({ agent_url, publisher_domain, property }: Seller, facts: object): string {
  return JSON.stringify({
    agent_url,
    publisher_domain,
    property: toShownProperty(property),
    ...facts,
  })
}

function toShownProperty(property: StockedProperty) {
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

export const lookUpAgentDomains = defineOperation({
  id: 'lookUpAgentDomains',
  method: 'GET',
  path: '/api/registry/lookup/agent/:agentUrl/domains',
  group: 'Lookups & Authorization',
  summary: 'List the publishers that authorize an agent',
  description: 'Publishers are sorted by domain. `freshness` describes their least fresh file.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ params: { agentUrl }, query: { as_of }, reader }) => [
    ...listReachKeys(reader, parseAgent('agentUrl', agentUrl)),
    ...listMeantKeys(reader, parseAgent('agentUrl', agentUrl)),
    ...listPastKeys(as_of),
  ],
  params: z.object({ agentUrl: z.string().describe('URL of the agent, percent-encoded') }),
  query: z.object({
    as_of: asOf,
    limit: createPageSize({ defaultSize: 5_000, max: 5_000 }),
    cursor: domainCursor,
  }),
  reply: { 200: AgentDomains },
  errors: ['invalid_request'],
  handle: async ({ params: { agentUrl }, query, services: { reader } }) => {
    const { limit, cursor } = query
    const agent = findAgent(reader, parseAgent('agentUrl', agentUrl))
    const past = query.as_of === undefined ? undefined : await findPast(reader, query.as_of)
    const all = past && (await listPastPublishers(past.snapshot, agent.agent_url, past.at))
    const found = all
      ? all.filter(domain => cursor === undefined || domain > cursor).slice(0, limit + 1)
      : listPublishersAfter(reader, agent.agent_url, { after: cursor, limit: limit + 1 })
    const domains = new ResponseBudget().take(found.slice(0, limit))
    const findFacts = past
      ? await findPastFacts(past.snapshot, agent.agent_url, past.at, domains)
      : (domain: string) => ({
          ...findGrantScope(reader, agent.agent_url, domain),
          ...findGrantFacts(reader, agent.agent_url, domain),
        })
    const total = all?.length ?? agent.publisher_count
    return replyOk({
      agent_url: agentUrl,
      domains,
      grants: domains.map(publisher_domain => ({
        publisher_domain,
        ...findFacts(publisher_domain),
      })),
      count: domains.length,
      ...(await findMeant(reader, agent.agent_url)),
      ...(past && { as_of: toIso(past.at) }),
      freshness: findPublishersFreshness(reader, domains),
      ...(domains.length < total && { domains_total: total, domains_truncated: true }),
      has_more: domains.length < found.length,
      next_cursor: domains.length < found.length ? domains.at(-1) : null,
    })
  },
})
