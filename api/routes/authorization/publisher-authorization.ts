import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { PublisherAuthorization } from '../../../pipeline/model/responses/authority.ts'
import { declareCache } from '../../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../../pipeline/read/cache/commit-cache.ts'
import {
  findAgent,
  findOperatorSide,
  isOperatorSilent,
  type KnownAgent,
} from '../../../pipeline/read/lookups/agents.ts'
import {
  type Deciding,
  findDecidingFreshness,
  formatDecidingFreshness,
  listDeciding,
  listFilesOfPublisher,
} from '../../../pipeline/read/lookups/deciding-files.ts'
import { findStale, isLimiting, toStale } from '../../../pipeline/read/lookups/grant-facts.ts'
import {
  findInventory,
  type Inventory,
  type StockedProperty,
} from '../../../pipeline/read/lookups/inventory.ts'
import { findReach } from '../../../pipeline/read/lookups/reach.ts'
import { listAgentKeys, listPublisherKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { loadPastInventory } from '../../../pipeline/read/queries/past-states.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import {
  findNeedsOfSale,
  findTermOfGrant,
  judge,
  tallyVerdicts,
} from '../../../pipeline/resolve/authority.ts'
import { listPublisherFiles } from '../../../pipeline/resolve/deciding-files.ts'
import {
  combineOperatorRules,
  judgeOperator,
  judgeOperatorOfGrants,
  unrecordedOperating,
} from '../../../pipeline/resolve/operator-side.ts'
import { isOpen, type Terms } from '../../../pipeline/resolve/sale-terms.ts'
import { asOf, listPastKeys } from '../../inputs/as-of.ts'
import { PastedDomain, pageCursor } from '../../inputs/fields.ts'
import {
  AgentUrl,
  explain,
  hasNoTerms,
  sidesSentence,
  termsInQuery,
  toTerms,
} from '../../inputs/sale.ts'
import { findDemandedFreshness } from '../../live/deciding-freshness.ts'
import { defineOperation } from '../../operation/operation.ts'
import { formatMembers, replyMembers } from '../../responses/cached-members.ts'
import { createCitedPublisher, listEvidence } from '../../responses/evidence.ts'
import { buildListPart, joinLists, toLongList } from '../../responses/list-parts.ts'
import { findMeant, listMeantKeys } from '../../responses/meant-agents.ts'
import { findMeantDomain, listMeantDomainKeys } from '../../responses/meant-domain.ts'
import { findPast } from '../../responses/past.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'

export const authorizePublisher = defineOperation({
  id: 'authorizePublisher',
  method: 'GET',
  path: '/api/registry/publisher/authorization',
  group: 'Lookups & Authorization',
  summary: 'Count a publisher’s properties that an agent can sell ads on',
  description:
    'Counts the active properties that are covered by a grant in force and not contradicted by the agent’s operator. ' +
    `${sidesSentence}A grant limited to countries, ` +
    'placements or collections counts if the request names none of them, or names one that the grant covers; `needs` names the first parameter that is missing. Returns 404 if the publisher does not authorize the agent.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ query: { domain, agent, as_of }, reader }) => [
    ...listAgentKeys(reader, agent),
    ...listPublisherKeys(reader, domain),
    ...listMeantDomainKeys(domain, meant => listPublisherKeys(reader, meant)),
    ...listMeantKeys(reader, agent),
    ...listPastKeys(as_of),
  ],
  query: z.object({
    domain: PastedDomain,
    agent: AgentUrl,
    ...termsInQuery,
    as_of: asOf,
    explain,
    evidence_cursor: pageCursor.describe('`evidence_next_cursor` of the previous page'),
    declared_cursor: pageCursor.describe('`declared_next_cursor` of a step of the evidence'),
    unauthorized_properties_cursor: pageCursor.describe(
      '`unauthorized_properties_next_cursor` of the previous page',
    ),
  }),
  reply: { 200: PublisherAuthorization },
  errors: ['invalid_request', 'not_found'],
  handle: async ({ query, caller, services }) => {
    const { reader } = services
    const { domain, agent: agentUrl } = query
    const past = query.as_of === undefined ? undefined : await findPast(reader, query.as_of)
    const isFirst = query.unauthorized_properties_cursor === undefined
    const canBeCached = hasNoTerms(query) && isFirst && past === undefined
    const known = canBeCached ? findCachedAnswer(reader, domain, agentUrl) : notCached
    if (known.members !== '') {
      return replyMembers([known.members], formatDecidingFreshness(reader, known.deciding))
    }
    const agent = findAgent(reader, agentUrl)
    const inventory = past
      ? await loadPastInventory(past.snapshot, domain, past.at)
      : findInventory(reader, domain)
    const terms = toTerms(query, past?.at ?? reader.now(), { anywhere: true })
    if (inventory === undefined || !mayGrant(inventory, agent.agent_url, terms)) {
      return replyRefused('not_found', `${domain} does not authorize ${agentUrl}`, {
        domain,
        agent_url: agent.agent_url,
        ...(await findMeant(reader, agent.agent_url)),
        ...(inventory === undefined &&
          findMeantDomain(domain, meant => findInventory(reader, meant) !== undefined)),
        freshness: findDemandedFreshness(services, [listFilesOfPublisher(reader, domain)], caller),
      })
    }
    const { answer, deciding } = past
      ? judgePublisher(reader, inventory, agent, terms, omitEvidence(query), unrecordedOperating)
      : judgePublisher(reader, inventory, agent, terms, query)
    const as_of = past && { as_of: toIso(past.at) }
    return replyOk({ ...answer, ...as_of, freshness: findDecidingFreshness(reader, deciding) })
  },
})

const CACHE_BYTES_MAX = 16 * 1024 * 1024
/** Members of an answer without its freshness (`formatMembers`), and the files that decided it. */
interface CachedAnswer {
  members: string
  deciding: Deciding
}

const FILES_BYTES = 300
const answers = declareCache(
  () =>
    new CommitCache<CachedAnswer>(CACHE_BYTES_MAX, ({ members }) => members.length + FILES_BYTES),
)
/** Stands for an answer that cannot be cached, or a refusal. */
const notCached: CachedAnswer = { members: '', deciding: [] }

/**
 * Finds the cached answer to a question without terms; `notCached` if nothing is granted, or if a grant has a
 * window, so that the answer depends on the time.
 */
function findCachedAnswer(reader: Reader, domain: string, agentUrl: string): CachedAnswer {
  const { serving } = reader
  if (serving === undefined) return notCached
  return answers(reader).get(serving, `${domain} ${agentUrl}`, () => {
    const agent = findAgent(reader, agentUrl)
    const wholeAnswer = buildWholeAnswer(reader, domain, agent)
    if (wholeAnswer !== undefined) return wholeAnswer
    const inventory = findInventory(reader, domain)
    if (inventory === undefined || inventory.isTimed) return notCached
    if (inventory.grantsTo(agent.agent_url).length === 0) return notCached
    const terms = toTerms({}, reader.now(), { anywhere: true })
    const { answer, deciding } = judgePublisher(reader, inventory, agent, terms, {})
    return { members: formatMembers(answer), deciding }
  })
}

/**
 * Answers the common case without reading the publisher: everything is granted and the operator declares
 * nothing. Undefined otherwise.
 */
function buildWholeAnswer(
  reader: Reader,
  domain: string,
  agent: KnownAgent,
): CachedAnswer | undefined {
  const { agent_url } = agent
  const reach = findReach(reader, agent_url, domain)
  if (reach?.sold === undefined || !isOperatorSilent(reader, agent)) return undefined
  if (isLimiting(reader, domain)) return undefined
  const { sold, authorized_for, verified_by: resolved_location } = reach
  const answer = {
    publisher_domain: domain,
    agent_url,
    authorized: sold,
    total: sold,
    publisher_wide: true,
    source: 'adagents_json',
    ...(authorized_for !== null && { authorized_for }),
    unauthorized_properties: [],
    sides: { publisher: 'match', operator: 'unknown' },
    confirmed: false,
    ...judgeOperatorOfGrants([], domain, findOperatorSide(reader, agent)),
    ...findStale(reader, agent_url, domain),
  }
  return {
    members: formatMembers(answer),
    deciding: [listPublisherFiles({ ...reach, domain, resolved_location })],
  }
}

/** Tells whether a publisher grants an agent anything, or may do so in a part of its file that was left out. */
function mayGrant(inventory: Inventory, agentUrl: string, { at }: Terms): boolean {
  const isPartial = inventory.stored.valid && inventory.stored.left_out?.includes('agents')
  return isPartial || inventory.grantsTo(agentUrl).some(grant => isOpen(grant, at))
}

/** The requested ranges of an answer's lists. */
interface Paging {
  explain?: boolean
  evidence_cursor?: string | undefined
  declared_cursor?: string | undefined
  unauthorized_properties_cursor?: string | undefined
}

function omitEvidence(paging: Paging): Paging {
  return { ...paging, explain: false }
}

function toRefused({ property_id, name, property_type }: StockedProperty) {
  return { ...(property_id !== null && { id: property_id }), name, type: property_type }
}

function judgePublisher(
  reader: Reader,
  inventory: Inventory,
  agent: KnownAgent,
  terms: Terms,
  paging: Paging,
  operating = findOperatorSide(reader, agent),
) {
  const { agent_url } = agent
  const { publisher_domain } = inventory.stored
  const cited = createCitedPublisher(reader, publisher_domain)
  const granting = inventory.granting(agent_url)
  const judged = inventory.properties
    .filter(property => property.is_active)
    .map(property => ({ property, verdict: judge(property, granting, operating, terms) }))
  const authorized = judged.filter(({ verdict }) => verdict.authorized)
  const granted = judged.filter(({ verdict }) => verdict.sides.publisher === 'match')
  const rest = judged.filter(({ verdict }) => !verdict.authorized)
  const isOther = ({ verdict }: (typeof judged)[number]) => verdict.sides.publisher !== 'match'
  const tally = tallyVerdicts(
    (authorized.length > 0 ? authorized : judged).map(answer => answer.verdict),
  )
  const isLimited = granting.grants.some(grant => findTermOfGrant(grant) !== undefined)
  const needs = (isLimited ? granted : [])
    .map(({ property }) => findNeedsOfSale(property, granting, operating, terms))
    .find(term => term !== undefined)
  const words = granting.grants.find(grant => grant.authorized_for !== null)?.authorized_for
  const answer = {
    publisher_domain,
    agent_url,
    authorized: authorized.length,
    total: judged.length,
    publisher_wide: judged.length > 0 && rest.length === 0,
    source: 'adagents_json',
    ...(words != null && { authorized_for: words }),
    ...buildListPart(
      'unauthorized_properties',
      toLongList(rest.map(({ property }) => toRefused(property))),
      paging.unauthorized_properties_cursor,
    ),
    ...(needs && { needs }),
    sides: tally.sides,
    confirmed: authorized.length > 0 && tally.confirmed === authorized.length,
    ...combineOperatorRules(
      granted.map(({ verdict }) => verdict.judged.operator.rule),
      judgeOperator([], publisher_domain, operating, undefined),
    ),
    ...toStale(inventory.countStale(agent_url)),
    ...(paging.explain &&
      buildListPart(
        'evidence',
        joinLists(
          [...granted, ...judged.filter(isOther)].map(({ property, verdict }) =>
            listEvidence(reader, property, cited, operating, verdict, paging.declared_cursor),
          ),
        ),
        paging.evidence_cursor,
      )),
  }
  return { answer, deciding: listDeciding(reader, publisher_domain, operating, tally.sides) }
}
