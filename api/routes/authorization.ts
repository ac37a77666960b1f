import { z } from 'zod'
import {
  findAgent,
  type KnownAgent,
  operatingOf,
  operatorIsSilent,
} from '../../pipeline/index/points/agents.ts'
import { findInventory, type Inventory } from '../../pipeline/index/points/inventory.ts'
import { reachOf } from '../../pipeline/index/points/reach.ts'
import { SinceCommit } from '../../pipeline/index/points/since-commit.ts'
import { freshnessOf, freshnessText } from '../../pipeline/index/points/stored.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { PublisherAuthorization } from '../../pipeline/model/answers-authority.ts'
import { judge, tallyOf } from '../../pipeline/resolve/authority.ts'
import { isOpen, type Terms } from '../../pipeline/resolve/sale-terms.ts'
import { Room } from '../bounds.ts'
import { evidenceOf } from '../evidence.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'
import { AgentUrl, explain, isPlain, sidesTold, termsInQuery, termsOf } from '../sale-input.ts'

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
    const known = isPlain(query) ? keptAnswer(reader, domain, asked) : ''
    if (known !== '') {
      return ok(`${known},"freshness":${freshnessText(reader, 'adagents.json', domain)}}`)
    }
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
    const isExplained = query.explain === 'true'
    const answer = publisherAnswer(reader, inventory, agent, terms, isExplained)
    return ok({ ...answer, freshness: freshnessOf(reader, 'adagents.json', domain) })
  },
})

const KEPT_BYTES = 16 * 1024 * 1024
const kept = new SinceCommit<string>(KEPT_BYTES, text => text.length)

/**
 * The answer to a plain question, as JSON up to its freshness; empty where nothing is granted, or
 * where a grant has a window and the answer its time.
 */
function keptAnswer(reader: Reader, domain: string, asked: string): string {
  const { serving } = reader
  if (serving === undefined) return ''
  return kept.get(serving, `${domain} ${asked}`, () => {
    const agent = findAgent(reader, asked)
    const whole = wholeAnswer(reader, domain, agent)
    if (whole !== undefined) return whole
    const inventory = findInventory(reader, domain)
    if (inventory === undefined || inventory.isTimed) return ''
    if (inventory.grantsTo(agent.agent_url).length === 0) return ''
    const terms = termsOf({}, reader.now(), true)
    return JSON.stringify(publisherAnswer(reader, inventory, agent, terms, false)).slice(0, -1)
  })
}

/**
 * The same where all is granted and the operator says nothing, which is what most are asked: found
 * without looking at what the publisher has, as JSON up to its freshness. Undefined where it takes more.
 */
function wholeAnswer(reader: Reader, domain: string, agent: KnownAgent): string | undefined {
  const { agent_url } = agent
  const reach = reachOf(reader, agent_url, domain)
  if (reach?.sold === undefined || !operatorIsSilent(reader, agent)) return undefined
  const { sold, authorized_for } = reach
  const words = authorized_for === null ? '' : `,"authorized_for":${JSON.stringify(authorized_for)}`
  return (
    `{"publisher_domain":"${domain}","agent_url":${JSON.stringify(agent_url)}` +
    `,"authorized":${sold},"total":${sold},"publisher_wide":true,"source":"adagents_json"${words}` +
    ',"unauthorized_properties":[],"sides":{"publisher":"match","operator":"unknown"},"confirmed":false'
  )
}

function hasOpenGrant(inventory: Inventory, agentUrl: string, { at }: Terms): boolean {
  return inventory.grantsTo(agentUrl).some(grant => isOpen(grant, at))
}

function publisherAnswer(
  reader: Reader,
  inventory: Inventory,
  agent: KnownAgent,
  terms: Terms,
  explained: boolean,
) {
  const { agent_url } = agent
  const { publisher_domain } = inventory.stored
  const operating = operatingOf(reader, agent)
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
  }
}
