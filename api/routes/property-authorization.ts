import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import {
  findAgent,
  type KnownAgent,
  operatingOf,
  operatorIsSilent,
} from '../../pipeline/index/points/agents.ts'
import { candidatesOf, placesOf } from '../../pipeline/index/points/candidates.ts'
import {
  findInventory,
  type StockedProperty,
  unknownGranting,
} from '../../pipeline/index/points/inventory.ts'
import { plainSales } from '../../pipeline/index/points/plain-sales.ts'
import { SinceCommit } from '../../pipeline/index/points/since-commit.ts'
import { freshnessText } from '../../pipeline/index/points/stored.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { PropertyAuthorization } from '../../pipeline/model/answers-authority.ts'
import type { Identifier } from '../../pipeline/model/documents.ts'
import { judge, type Side, type Verdict } from '../../pipeline/resolve/authority.ts'
import type { Terms } from '../../pipeline/resolve/sale-terms.ts'
import { evidenceOf } from '../evidence.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'
import {
  explain,
  isPlain,
  parseAgent,
  sidesTold,
  termsInQuery,
  termsOf,
  termsTold,
} from '../sale-input.ts'

const KEPT_BYTES = 16 * 1024 * 1024

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
    const terms = termsOf(query, reader.now())
    const asked = { type: identifier_type, value: identifier_value }
    const head = JSON.stringify({ agent_url, identifier_type, identifier_value }).slice(0, -1)
    const freshness = freshnessText(reader, 'agent', agent.agent_url)
    const tail = `"checked_at":"${isoOf(reader.now())}","freshness":${freshness}`
    if (isPlain(query)) return ok(`${head},${keptSale(reader, asked, agent, terms)},${tail}}`)
    const { told, evidence } = bestSale(reader, asked, agent, terms)
    const explained = query.explain === 'true' ? `,"evidence":${JSON.stringify(evidence())}` : ''
    return ok(`${head},${membersOf(told)},${tail}${explained}}`)
  },
})

const membersOf = (told: object) => JSON.stringify(told).slice(1, -1)

/** What is told of a sale, as JSON members; undefined where it is so only now. */
type Told = string | undefined

const SALE_BYTES = 300
const keptSales = new SinceCommit<{ told: Told }>(KEPT_BYTES, () => SALE_BYTES)

/** The best sale where nothing is asked but who and what; its grants are let go of. */
function keptSale(reader: Reader, asked: Identifier, agent: KnownAgent, terms: Terms): string {
  const sold = () => bestSale(reader, asked, agent, terms)
  const { serving } = reader
  if (serving === undefined) return membersOf(sold().told)
  const question = `${agent.agent_url} ${asked.type.length} ${asked.type} ${asked.value}`
  const known = keptSales.get(serving, question, () => {
    const plain = plainSale(reader, asked, agent)
    if (plain !== undefined) return { told: plain }
    const { told, isTimed } = sold()
    return { told: isTimed ? undefined : membersOf(told) }
  })
  return known.told ?? membersOf(sold().told)
}

/**
 * The same of publishers that grant all or nothing, where the operator says nothing, which is what most
 * are asked: found without judging one by one. Undefined where it takes more.
 */
function plainSale(reader: Reader, asked: Identifier, agent: KnownAgent): Told {
  if (!operatorIsSilent(reader, agent)) return undefined
  const said = new Set<Side>()
  for (const { rid, owner, publishers } of placesOf(reader, asked)) {
    const sales = publishers.length === 1 ? plainSales(reader, owner) : undefined
    if (sales === undefined) return undefined
    if (sales.sellers.includes(agent.agent_url)) {
      const id = sales.property(rid)?.id
      return id && plainlySold(rid, id, owner)
    }
    said.add(sales.valid ? 'mismatch' : 'unknown')
  }
  const publisher = said.has('mismatch') && !said.has('unknown') ? 'mismatch' : 'unknown'
  return `"authorized":false,"sides":{"publisher":"${publisher}","operator":"unknown"},"confirmed":false`
}

function plainlySold(rid: string, id: string, owner: string): string {
  const what = `"property_id":${id},"property_rid":"${rid}","publisher_domain":"${owner}"`
  return `"authorized":true,${what},"sides":{"publisher":"match","operator":"unknown"},"confirmed":false`
}

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
function bestSale(reader: Reader, asked: Identifier, agent: KnownAgent, terms: Terms) {
  const operating = operatingOf(reader, agent)
  let best: Sale | undefined
  let isTimed = false
  for (const { property, publishers } of candidatesOf(reader, asked).found) {
    for (const publisher of publishers) {
      const inventory = findInventory(reader, publisher)
      isTimed ||= inventory?.isTimed ?? false
      const granting = inventory?.granting(agent.agent_url) ?? unknownGranting(publisher)
      const sale = { property, publisher, verdict: judge(property, granting, operating, terms) }
      if (best === undefined || rankOf(sale) > rankOf(best)) best = sale
    }
  }
  const sale = best
  return {
    told: toldOf(sale),
    isTimed,
    evidence: () =>
      sale
        ? evidenceOf(reader, sale.property, sale.publisher, operating, sale.verdict)
        : [notKnown],
  }
}

function toldOf(sale: Sale | undefined): object {
  if (sale === undefined) return { authorized: false, sides: nothingSaid, confirmed: false }
  const { property, publisher, verdict } = sale
  const { authorized, sides, confirmed } = verdict
  return {
    authorized,
    ...(authorized && {
      property_id: property.property_id ?? property.property_rid,
      property_rid: property.property_rid,
      publisher_domain: publisher,
    }),
    sides,
    confirmed,
  }
}

const weight = { match: 2, unknown: 1, mismatch: 0 } as const

function rankOf({ verdict: { authorized, confirmed, sides } }: Sale): number {
  const said = 3 * weight[sides.publisher] + weight[sides.operator]
  return (confirmed ? 200 : 0) + (authorized ? 100 : 0) + said
}
