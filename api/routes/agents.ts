import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { hasApiAccess } from '../../pipeline/core/membership.ts'
import type { EnrolledAgent } from '../../pipeline/index/points/members.ts'
import { agentEntryOf } from '../../pipeline/index/queries/agent-entries.ts'
import type { AgentFacts } from '../../pipeline/index/queries/agent-facts.ts'
import { agentCatalogOf } from '../../pipeline/index/queries/agents.ts'
import {
  type AgentEntry,
  AgentList,
  creativeOperations,
  verificationModes,
} from '../../pipeline/model/answers-agents.ts'
import { agentTypes } from '../../pipeline/model/documents.ts'
import {
  hasFormat,
  hasMetric,
  wantsFormats,
  wantsMetrics,
} from '../../pipeline/resolve/agent-filter.ts'
import { flag, repeated, whole } from '../fields.ts'
import { fitting } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const VALUES = 20
const METRIC_PAIRS = 100
const PART_CHARS = 64
const LARGEST_PAGE = 5_000

const part = z
  .string()
  .max(PART_CHARS)
  .refine(text => !/[%_]/.test(text), { error: 'may not hold % or _' })
const exact = z.string().max(2_048).optional()

const AgentsQuery = z.object({
  type: z.enum(agentTypes).optional(),
  health: flag,
  capabilities: flag,
  properties: flag,
  compliance: flag,
  verified: flag,
  verification_mode: repeated(VALUES),
  metric_id: repeated(VALUES),
  accreditation: repeated(VALUES),
  q: part.optional().meta({ description: 'part of a metric_id, whatever the case' }),
  format_kind: repeated(VALUES),
  creative_operation: repeated(VALUES),
  publisher_domain: exact,
  format_option_id: exact,
  capability_id: exact,
  source: z.literal('', { error: 'is no parameter any more' }).optional(),
  limit: whole({ min: 0, max: LARGEST_PAGE, default: LARGEST_PAGE, clamp: true }),
  offset: whole({ min: 0, max: 1e9, default: 0 }),
})
type AgentsQuery = z.output<typeof AgentsQuery>

export const listAgents = operation({
  id: 'listAgents',
  method: 'GET',
  path: '/api/registry/agents',
  group: 'Agent Discovery',
  summary: 'Agents that members enrolled',
  description:
    'Everybody sees agents that are public; a caller with the key of a member with API access also ' +
    'those that are for members. `health`, `capabilities`, `properties` and `compliance` add what is ' +
    'known; a block of which nothing is known is left out. `metric_id`, `accreditation` and `q` ask ' +
    'for one metric that is all of it, and for measurement agents only; `format_kind`, ' +
    '`creative_operation`, `publisher_domain`, `format_option_id` and `capability_id` for one ' +
    'supported format. No agent has been tested yet: filters for verified ones find none.',
  access: 'optional',
  cache: 'personal',
  query: AgentsQuery,
  reply: { 200: AgentList },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, principal, services: { reader } }) => {
    const isWanted = filterOf(query)
    const catalog = await agentCatalogOf(reader)
    const isMember = principal !== undefined && hasApiAccess(principal.tier)
    const seen = isMember ? catalog.shownToMembers : catalog.shownToAll
    const found = seen.filter(agent => isWanted(agent, catalog.facts.get(agent.url)))
    const { offset, limit } = query
    const page = found.slice(offset, offset + (limit || LARGEST_PAGE))
    const reach = query.health || query.properties ? await catalog.reach() : undefined
    const entries = function* (): Iterable<AgentEntry> {
      for (const agent of page) {
        const { url } = agent
        yield agentEntryOf(agent, catalog.facts.get(url), reach?.get(url), query)
      }
    }
    const shown = fitting('agents', entries()) as { agents: AgentEntry[] }
    return ok(
      { ...shown, count: shown.agents.length, total: found.length },
      {
        'x-registry-seq': String(catalog.seq),
        ...(asksForBadges(query) && { 'cache-control': 'no-store' }),
      },
    )
  },
})

type Filter = (agent: EnrolledAgent, facts: AgentFacts | undefined) => boolean

/** Which agents are asked for; refuses what contradicts itself. */
function filterOf(query: AgentsQuery): Filter {
  const { metric_id: metric_ids, accreditation: accreditations, type } = query
  const metric = { metric_ids, accreditations, q: query.q || undefined }
  const format = {
    format_kinds: query.format_kind,
    creative_operations: known('creative_operation', query.creative_operation, creativeOperations),
    publisher_domain: query.publisher_domain || undefined,
    format_option_id: query.format_option_id || undefined,
    capability_id: query.capability_id || undefined,
  }
  known('verification_mode', query.verification_mode, verificationModes)
  const [byMetric, byFormat] = [wantsMetrics(metric), wantsFormats(format)]
  if (metric_ids.length * accreditations.length > METRIC_PAIRS) {
    refuse(
      'invalid_request',
      `metric_id: with accreditation more than ${METRIC_PAIRS} pairs are asked for`,
    )
  }
  if (byMetric && byFormat) {
    refuse('invalid_request', 'metric_id: filters of metrics and of formats find nothing together')
  }
  if (byMetric && type !== undefined && type !== 'measurement') {
    refuse('invalid_request', 'type: only measurement agents have metrics')
  }
  const wanted = byMetric ? 'measurement' : type
  const byBadge = query.verified || query.verification_mode.length > 0
  return (agent, facts) =>
    !byBadge &&
    (wanted === undefined || agent.type === wanted) &&
    (!byMetric || hasMetric(facts?.said?.measurement?.metrics ?? [], metric)) &&
    (!byFormat || hasFormat(facts?.said?.supported_formats ?? [], format))
}

/** The values, all of which are words that mean something. */
function known(name: string, values: readonly string[], words: readonly string[]) {
  const strange = values.find(value => !words.includes(value))
  if (strange !== undefined) {
    refuse('invalid_request', `${name}: must be one of ${words.join(', ')}`, {
      valid_values: [...words],
    })
  }
  return values
}

function asksForBadges({ compliance, verified, verification_mode }: AgentsQuery): boolean {
  return compliance || verified || verification_mode.length > 0
}
