import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import { findAgent, operatingOf } from '../../pipeline/index/points/agents.ts'
import { candidatesOf } from '../../pipeline/index/points/candidates.ts'
import {
  findInventory,
  type Inventory,
  type StockedProperty,
  unknownGranting,
} from '../../pipeline/index/points/inventory.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import {
  PropertyAuthorization,
  PublisherAuthorization,
} from '../../pipeline/model/answers-authority.ts'
import { judge, type Operating, tallyOf, type Verdict } from '../../pipeline/resolve/authority.ts'
import { isOpen, type Terms } from '../../pipeline/resolve/sale-terms.ts'
import { Room } from '../bounds.ts'
import { evidenceOf } from '../evidence.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'
import {
  AgentUrl,
  explain,
  parseAgent,
  sidesTold,
  termsInQuery,
  termsOf,
  termsTold,
} from '../sale-input.ts'

export const authorizePublisher = operation({
  id: 'authorizePublisher',
  method: 'GET',
  path: '/api/registry/publisher/authorization',
  group: 'Lookups & Authorization',
  summary: 'How many properties of a publisher an agent may sell',
  description:
    'Counts the active properties that grants in force reach and the operator does not contradict; ' +
    `a grant of all of them counts as each of them. ${sidesTold}Restrictions to countries, ` +
    'placements and collections count only where the question names some.',
  access: 'public',
  cache: 'revalidate',
  query: z.object({ domain: PastedDomain, agent: AgentUrl, ...termsInQuery, explain }),
  reply: { 200: PublisherAuthorization },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query, services: { reader } }) => {
    const { domain, agent: asked } = query
    const agent = findAgent(reader, asked)
    const inventory = findInventory(reader, domain)
    const terms = termsOf(query, reader.now(), true)
    if (inventory === undefined || !hasOpenGrant(inventory, agent.agent_url, terms)) {
      return refused('not_found', `${domain} grants ${asked} nothing`, {
        domain,
        agent_url: agent.agent_url,
        freshness: freshnessOf(reader, 'adagents.json', domain),
      })
    }
    const operating = operatingOf(reader, agent)
    return ok(
      publisherAnswer(
        reader,
        inventory,
        agent.agent_url,
        operating,
        terms,
        query.explain === 'true',
      ),
    )
  },
})

function hasOpenGrant(inventory: Inventory, agentUrl: string, { at }: Terms): boolean {
  return inventory.grantsTo(agentUrl).some(grant => isOpen(grant, at))
}

function publisherAnswer(
  reader: Reader,
  inventory: Inventory,
  agent_url: string,
  operating: Operating,
  terms: Terms,
  explained: boolean,
) {
  const { publisher_domain } = inventory.stored
  const granting = inventory.granting(agent_url)
  const judged = inventory.properties
    .filter(one => one.is_active)
    .map(property => ({ property, verdict: judge(property, granting, operating, terms) }))
  const authorized = judged.filter(({ verdict }) => verdict.authorized)
  const rest = judged.filter(({ verdict }) => !verdict.authorized)
  const tally = tallyOf((authorized.length > 0 ? authorized : judged).map(one => one.verdict))
  const words = granting.grants.find(one => one.authorized_for !== null)?.authorized_for
  const room = new Room()
  return {
    publisher_domain,
    agent_url,
    authorized: authorized.length,
    total: judged.length,
    publisher_wide: judged.length > 0 && rest.length === 0,
    source: 'adagents_json',
    ...(words != null && { authorized_for: words }),
    ...room.fit(
      'unauthorized_properties',
      rest.map(({ property }) => ({
        ...(property.property_id !== null && { id: property.property_id }),
        name: property.name,
        type: property.property_type,
      })),
    ),
    sides: tally.sides,
    confirmed: authorized.length > 0 && tally.confirmed === authorized.length,
    ...(explained &&
      room.fit(
        'evidence',
        judged.flatMap(({ property, verdict }) =>
          evidenceOf(reader, property, publisher_domain, operating, verdict),
        ),
      )),
    freshness: freshnessOf(reader, 'adagents.json', publisher_domain),
  }
}

export const authorizeProperty = operation({
  id: 'validatePropertyAuthorization',
  method: 'GET',
  path: '/api/registry/validate/property-authorization',
  group: 'Lookups & Authorization',
  summary: 'Whether an agent may sell what an identifier names',
  description: `The publisher must grant it and the operator must not contradict. ${sidesTold}${termsTold}`,
  access: 'public',
  cache: 'revalidate',
  query: z.object({
    agent_url: z.string().min(1).max(2_048),
    identifier_type: z.string().min(1).max(100),
    identifier_value: z.string().min(1).max(2_048),
    ...termsInQuery,
    explain,
  }),
  reply: { 200: PropertyAuthorization },
  errors: ['invalid_request'],
  handle: ({ query, services: { reader } }) => {
    const { agent_url, identifier_type, identifier_value } = query
    const agent = findAgent(reader, parseAgent('agent_url', agent_url))
    const operating = operatingOf(reader, agent)
    const terms = termsOf(query, reader.now())
    const asked = { type: identifier_type, value: identifier_value }
    const sale = bestSale(reader, asked, agent.agent_url, operating, terms)
    return ok({
      agent_url,
      identifier_type,
      identifier_value,
      authorized: sale?.verdict.authorized ?? false,
      ...(sale?.verdict.authorized && {
        property_id: sale.property.property_id ?? sale.property.property_rid,
        property_rid: sale.property.property_rid,
        publisher_domain: sale.publisher,
      }),
      sides: sale?.verdict.sides ?? nothingSaid,
      confirmed: sale?.verdict.confirmed ?? false,
      checked_at: isoOf(reader.now()),
      freshness: freshnessOf(reader, 'agent', agent.agent_url),
      ...(query.explain === 'true' && {
        evidence: sale
          ? evidenceOf(reader, sale.property, sale.publisher, operating, sale.verdict)
          : [notKnown],
      }),
    })
  },
})

const nothingSaid = { publisher: 'unknown', operator: 'unknown' } as const

const notKnown = {
  side: 'publisher',
  rule: 'identifier_not_known',
  says: 'unknown',
  text: 'no publisher lists an active property that goes by this identifier',
} as const

interface Sale {
  property: StockedProperty
  publisher: string
  verdict: Verdict
}

/**
 * Of all that an identifier may name, the sale that most is said for: an identifier can stand in the
 * files of several publishers, and one property can be granted by several.
 */
function bestSale(
  reader: Reader,
  asked: { type: string; value: string },
  agentUrl: string,
  operating: Operating,
  terms: Terms,
): Sale | undefined {
  let best: Sale | undefined
  for (const { property, publishers } of candidatesOf(reader, asked).found) {
    for (const publisher of publishers) {
      const granting =
        findInventory(reader, publisher)?.granting(agentUrl) ?? unknownGranting(publisher)
      const sale = { property, publisher, verdict: judge(property, granting, operating, terms) }
      if (best === undefined || rankOf(sale) > rankOf(best)) best = sale
    }
  }
  return best
}

const weight = { match: 2, unknown: 1, mismatch: 0 } as const

function rankOf({ verdict: { authorized, confirmed, sides } }: Sale): number {
  const said = 3 * weight[sides.publisher] + weight[sides.operator]
  return (confirmed ? 200 : 0) + (authorized ? 100 : 0) + said
}
