import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { PropertyAuthorization } from '../../../pipeline/model/responses/authority.ts'
import { findAgent } from '../../../pipeline/read/lookups/agents.ts'
import { formatFreshness } from '../../../pipeline/read/lookups/deciding-files.ts'
import {
  listAgentKeys,
  listIdentifierKeys,
  listPublisherKeys,
} from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { mayMeanAgents } from '../../../pipeline/read/queries/agents-of-host.ts'
import { asOf, listPastKeys } from '../../inputs/as-of.ts'
import { pageCursor } from '../../inputs/fields.ts'
import { checkValue, IdentifierType } from '../../inputs/identifier.ts'
import {
  explain,
  hasNoTerms,
  parseAgent,
  sidesSentence,
  termsInQuery,
  termsSentence,
  toTerms,
} from '../../inputs/sale.ts'
import { findDemandedFreshness } from '../../live/deciding-freshness.ts'
import { type Call, defineOperation } from '../../operation/operation.ts'
import { formatMembers, replyMembers } from '../../responses/cached-members.ts'
import { buildListPart } from '../../responses/list-parts.ts'
import { findMeant, listMeantKeys } from '../../responses/meant-agents.ts'
import { findPast } from '../../responses/past.ts'
import {
  chooseBestSale,
  findCachedSale,
  listOtherHostTypes,
  loadPastStock,
} from '../../responses/property-judge.ts'
import { replyOk, type Sent } from '../../responses/reply.ts'

const PropertyQuery = z
  .object({
    agent_url: z.string().min(1).max(2_048).describe('URL at which the agent is called'),
    identifier_type: IdentifierType,
    identifier_value: z
      .string()
      .min(1)
      .max(2_048)
      .describe('Value of the identifier, such as the domain'),
    ...termsInQuery,
    as_of: asOf.describe('Respond as of this time or UTC date; checks the publisher’s side only'),
    explain,
    evidence_cursor: pageCursor.describe('`evidence_next_cursor` of the previous page'),
    declared_cursor: pageCursor.describe('`declared_next_cursor` of a step of the evidence'),
  })
  .superRefine(checkValue('identifier_type', 'identifier_value'))

type PropertyCall = Pick<
  Call<z.output<typeof PropertyQuery>, unknown, unknown, 'public'>,
  'query' | 'caller' | 'services'
>

export const authorizeProperty = defineOperation({
  id: 'validatePropertyAuthorization',
  method: 'GET',
  path: '/api/registry/validate/property-authorization',
  group: 'Lookups & Authorization',
  summary: 'Check whether an agent can sell ads on a property',
  description: `The publisher must authorize the agent, and the operator must not contradict it. ${sidesSentence}${termsSentence}`,
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({
    query: { agent_url, identifier_type: type, identifier_value: value, as_of, explain },
    reader,
  }) => [
    ...listAgentKeys(reader, parseAgent('agent_url', agent_url)),
    ...[{ type, value }, ...(explain ? listOtherHostTypes({ type, value }) : [])].flatMap(
      identifier => listIdentifierKeys(reader, identifier, listPublisherKeys),
    ),
    ...listMeantKeys(reader, parseAgent('agent_url', agent_url)),
    ...listPastKeys(as_of),
  ],
  query: PropertyQuery,
  reply: { 200: PropertyAuthorization },
  errors: ['invalid_request'],
  handle: call => {
    const { query, services } = call
    const { reader } = services
    const { agent_url, identifier_type, identifier_value } = query
    const agentUrl = parseAgent('agent_url', agent_url)
    if (query.as_of !== undefined || !hasNoTerms(query) || mayMeanAgents(reader, agentUrl))
      return judgeWithTerms(call)
    const identifier = { type: identifier_type, value: identifier_value }
    const sale = findCachedSale(reader, identifier, agentUrl, toTerms(query, reader.now()))
    sale.members ??= formatMembers(sale.judged)
    const parts = [
      formatMembers({ agent_url, identifier_type, identifier_value }),
      sale.members,
      `"checked_at":"${toIso(reader.now())}"`,
    ]
    const freshness = findDemandedFreshness(services, sale.deciding, call.caller)
    return replyMembers(parts, formatFreshness(freshness))
  },
})

/** Answers a question that names more than agent and property, a time of the past, or no known agent of a host. */
async function judgeWithTerms({ query, caller, services }: PropertyCall): Promise<Sent> {
  const { reader } = services
  const { agent_url, identifier_type, identifier_value } = query
  const agent = findAgent(reader, parseAgent('agent_url', agent_url))
  const identifier = { type: identifier_type, value: identifier_value }
  const past = query.as_of === undefined ? undefined : await findPast(reader, query.as_of)
  const terms = toTerms(query, past?.at ?? reader.now())
  const stock = past && (await loadPastStock(past, identifier))
  const sale = chooseBestSale(reader, identifier, agent, terms, stock)
  return replyOk({
    agent_url,
    identifier_type,
    identifier_value,
    ...sale.judged,
    ...(await findMeant(reader, agent.agent_url)),
    checked_at: toIso(reader.now()),
    ...(past && { as_of: toIso(past.at) }),
    freshness: findDemandedFreshness(services, sale.deciding, caller),
    ...(query.explain &&
      past === undefined &&
      buildListPart('evidence', sale.evidence(query.declared_cursor), query.evidence_cursor)),
  })
}
