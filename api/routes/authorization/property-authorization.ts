import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import type { Identifier } from '../../../pipeline/model/documents/index.ts'
import type { Source } from '../../../pipeline/model/observation.ts'
import {
  type Evidence,
  PropertyAuthorization,
} from '../../../pipeline/model/responses/authority.ts'
import { declareCache } from '../../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../../pipeline/read/cache/commit-cache.ts'
import {
  findAgent,
  findOperating,
  isOperatorSilent,
  type KnownAgent,
} from '../../../pipeline/read/lookups/agents.ts'
import { findCandidates, findPropertyPlaces } from '../../../pipeline/read/lookups/candidates.ts'
import {
  type Deciding,
  formatDecidingFreshness,
  listDeciding,
  listFilesOfIdentifier,
} from '../../../pipeline/read/lookups/deciding-files.ts'
import {
  buildUnknownGranting,
  findInventory,
  type StockedProperty,
} from '../../../pipeline/read/lookups/inventory.ts'
import { findPlainSales } from '../../../pipeline/read/lookups/plain-sales.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { judge, type Side, type Verdict } from '../../../pipeline/resolve/authority.ts'
import type { Terms } from '../../../pipeline/resolve/sale-terms.ts'
import { pageCursor } from '../../inputs/fields.ts'
import {
  explain,
  isPlain,
  parseAgent,
  sidesSentence,
  termsInQuery,
  termsSentence,
  toTerms,
} from '../../inputs/sale.ts'
import { defineOperation } from '../../operation/operation.ts'
import { listEvidence } from '../../responses/evidence.ts'
import { replyOk } from '../../responses/reply.ts'
import { buildStretch, type LongList, toLongList } from '../../responses/stretches.ts'

const CACHE_BYTES_MAX = 16 * 1024 * 1024

export const authorizeProperty = defineOperation({
  id: 'validatePropertyAuthorization',
  method: 'GET',
  path: '/api/registry/validate/property-authorization',
  group: 'Lookups & Authorization',
  summary: 'Validate that an agent may sell a property',
  description: `The publisher must grant it, and the operator must not contradict it. ${sidesSentence}${termsSentence}`,
  access: 'public',
  cache: 'revalidate',
  query: z.object({
    agent_url: z.string().min(1).max(2_048).describe('Address at which the agent answers'),
    identifier_type: z.string().min(1).max(100).describe('Kind of identifier, such as `domain`'),
    identifier_value: z
      .string()
      .min(1)
      .max(2_048)
      .describe('Value of the identifier, such as the domain'),
    ...termsInQuery,
    explain,
    evidence_cursor: pageCursor.describe('`evidence_next_cursor` of the previous page'),
    declared_cursor: pageCursor.describe('`declared_next_cursor` of a step of the evidence'),
  }),
  reply: { 200: PropertyAuthorization },
  errors: ['invalid_request'],
  handle: ({ query, services: { reader } }) => {
    const { agent_url, identifier_type, identifier_value } = query
    const agent = findAgent(reader, parseAgent('agent_url', agent_url))
    const terms = toTerms(query, reader.now())
    const asked = { type: identifier_type, value: identifier_value }
    const head = JSON.stringify({ agent_url, identifier_type, identifier_value }).slice(0, -1)
    const tail = (deciding: Deciding) =>
      `"checked_at":"${toIso(reader.now())}","freshness":${formatDecidingFreshness(reader, deciding)}`
    if (isPlain(query)) {
      const { members, deciding } = findCachedSale(reader, asked, agent, terms)
      return replyOk(`${head},${members},${tail(deciding)}}`)
    }
    const { members, deciding, evidence } = chooseBestSale(reader, asked, agent, terms)
    const explained =
      query.explain === 'true'
        ? `,${formatMembers(buildStretch('evidence', evidence(query.declared_cursor), query.evidence_cursor))}`
        : ''
    return replyOk(`${head},${formatMembers(members)},${tail(deciding)}${explained}}`)
  },
})

const formatMembers = (members: object) => JSON.stringify(members).slice(1, -1)

/** A judged sale as JSON members, with the files that decided it. */
interface SpelledSale {
  members: string
  deciding: Deciding
}

const SALE_BYTES = 500
/** Cached sales; undefined for one that depends on the time. */
const sales = declareCache(
  () => new CommitCache<{ sale: SpelledSale | undefined }>(CACHE_BYTES_MAX, () => SALE_BYTES),
)

/** Finds the best sale for a question that names only agent and property; drops its grants. */
function findCachedSale(
  reader: Reader,
  asked: Identifier,
  agent: KnownAgent,
  terms: Terms,
): SpelledSale {
  const sold = () => chooseBestSale(reader, asked, agent, terms)
  const spelled = ({ members, deciding }: ReturnType<typeof sold>) => ({
    members: formatMembers(members),
    deciding,
  })
  const { serving } = reader
  if (serving === undefined) return spelled(sold())
  const question = `${agent.agent_url} ${asked.type.length} ${asked.type} ${asked.value}`
  const known = sales(reader).get(serving, question, () => {
    const plain = findPlainSale(reader, asked, agent)
    if (plain !== undefined) return { sale: plain }
    const found = sold()
    return { sale: found.isTimed ? undefined : spelled(found) }
  })
  return known.sale ?? spelled(sold())
}

/**
 * Answers the common case without judging one by one: publishers that grant all or nothing, and an operator
 * without declarations. Undefined if each must be judged.
 */
function findPlainSale(
  reader: Reader,
  asked: Identifier,
  agent: KnownAgent,
): SpelledSale | undefined {
  if (!isOperatorSilent(reader, agent)) return undefined
  const said = new Set<Side>()
  const deciding: Source[][] = []
  for (const { rid, owner, publishers } of findPropertyPlaces(reader, asked)) {
    const sales = publishers.length === 1 ? findPlainSales(reader, owner) : undefined
    if (sales === undefined) return undefined
    if (sales.sellers.includes(agent.agent_url)) {
      const id = sales.property(rid)?.id
      return id
        ? { members: formatPlainSale(rid, id, owner), deciding: [sales.files()] }
        : undefined
    }
    said.add(sales.valid ? 'mismatch' : 'unknown')
    deciding.push(sales.files())
  }
  const publisher = said.has('mismatch') && !said.has('unknown') ? 'mismatch' : 'unknown'
  return {
    members: `"authorized":false,"sides":{"publisher":"${publisher}","operator":"unknown"},"confirmed":false`,
    deciding: deciding.length > 0 ? deciding : listFilesOfIdentifier(asked),
  }
}

function formatPlainSale(rid: string, id: string, owner: string): string {
  const what = `"property_id":${id},"property_rid":"${rid}","publisher_domain":"${owner}"`
  return `"authorized":true,${what},"sides":{"publisher":"match","operator":"unknown"},"confirmed":false`
}

const nothingSaid = { publisher: 'unknown', operator: 'unknown' } as const

const notKnown = {
  side: 'publisher',
  rule: 'identifier_not_known',
  says: 'unknown',
  text: 'no publisher lists an active property with this identifier',
} as const

interface Sale {
  property: StockedProperty
  publisher: string
  verdict: Verdict
}

/**
 * Chooses the best sale of all properties that an identifier may name: it can be in the files of several
 * publishers, and several may grant one property.
 */
function chooseBestSale(reader: Reader, asked: Identifier, agent: KnownAgent, terms: Terms) {
  const operating = findOperating(reader, agent)
  let best: Sale | undefined
  let isTimed = false
  for (const { property, publishers } of findCandidates(reader, asked).found) {
    for (const publisher of publishers) {
      const inventory = findInventory(reader, publisher)
      isTimed ||= inventory?.isTimed ?? false
      const granting = inventory?.granting(agent.agent_url) ?? buildUnknownGranting(publisher)
      const sale = { property, publisher, verdict: judge(property, granting, operating, terms) }
      if (best === undefined || rankSale(sale) > rankSale(best)) best = sale
    }
  }
  const sale = best
  return {
    members: toAnswer(sale),
    isTimed,
    deciding: sale
      ? listDeciding(reader, sale.publisher, operating, sale.verdict.sides)
      : listFilesOfIdentifier(asked),
    evidence: (declaredCursor?: string): LongList<Evidence> =>
      sale
        ? listEvidence(
            reader,
            sale.property,
            sale.publisher,
            operating,
            sale.verdict,
            declaredCursor,
          )
        : toLongList([notKnown]),
  }
}

function toAnswer(sale: Sale | undefined): object {
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

function rankSale({ verdict: { authorized, confirmed, sides } }: Sale): number {
  const said = 3 * weight[sides.publisher] + weight[sides.operator]
  return (confirmed ? 200 : 0) + (authorized ? 100 : 0) + said
}
