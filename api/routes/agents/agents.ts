import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { hasApiAccess } from '../../../pipeline/core/tiers.ts'
import { describeChoices } from '../../../pipeline/core/validation-messages.ts'
import { BADGE_MODES } from '../../../pipeline/model/badge.ts'
import { agentTypes } from '../../../pipeline/model/documents/index.ts'
import {
  type AgentEntry,
  AgentList,
  creativeOperations,
  verificationModes,
} from '../../../pipeline/model/responses/agents.ts'
import type { EnrolledAgent } from '../../../pipeline/read/lookups/members.ts'
import { toAgentEntry } from '../../../pipeline/read/queries/agent-entries.ts'
import type { AgentFacts } from '../../../pipeline/read/queries/agent-facts.ts'
import { loadAgentCatalog } from '../../../pipeline/read/queries/agents.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import {
  hasFormat,
  hasFormatConditions,
  hasMetric,
  hasMetricConditions,
} from '../../../pipeline/resolve/agent-filter.ts'
import type { Principal } from '../../auth/principal.ts'
import {
  createFlag,
  createPageSize,
  createRepeated,
  PastedDomain,
  pageCursor,
  pageOffset,
} from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import { listBadges } from '../../responses/badges.ts'
import { findComplianceSummary } from '../../responses/compliance.ts'
import { buildPageEnd, fitItems, getSnapshot } from '../../responses/lists.ts'
import { replyOk } from '../../responses/reply.ts'

const FILTER_VALUES_MAX = 20
const METRIC_PAIRS_MAX = 100
const PART_CHARS = 64
const PAGE_ROWS_MAX = 5_000

const part = z
  .string()
  .max(PART_CHARS)
  .refine(text => !/[%_]/.test(text), { error: 'must not contain % or _' })
function createExact(description: string) {
  return z.string().max(2_048).optional().meta({ description })
}

const AgentsQuery = z.object({
  type: z.enum(agentTypes).optional().describe('Only agents of this type'),
  health: createFlag('Adds the last probe and reach of each agent'),
  capabilities: createFlag('Adds the declared capabilities of each agent'),
  properties: createFlag('Adds the properties that each agent can sell'),
  compliance: createFlag('Adds the test results of each agent'),
  verified: createFlag('Only agents with a badge'),
  verification_mode: createRepeated(
    FILTER_VALUES_MAX,
    'Only agents with a badge that was tested in all of these modes',
  ),
  metric_id: createRepeated(FILTER_VALUES_MAX, 'Only agents with one of these metrics'),
  accreditation: createRepeated(
    FILTER_VALUES_MAX,
    'Only agents with metrics accredited by one of these bodies',
  ),
  q: part.optional().meta({ description: 'Part of a metric_id; for names, use `/api/search`' }),
  format_kind: createRepeated(FILTER_VALUES_MAX, 'Only agents with formats of this kind'),
  creative_operation: createRepeated(
    FILTER_VALUES_MAX,
    `Only agents with one of these operations for the format: ${creativeOperations.join(', ')}`,
  ),
  publisher_domain: z
    .string()
    .optional()
    .transform(text => text || undefined)
    .pipe(PastedDomain.optional())
    .meta({ description: 'Only agents with a format from this publisher' }),
  format_option_id: createExact('Only agents with this format, by ID'),
  capability_id: createExact('Only agents with this capability, by ID'),
  source: z
    .literal('', { error: 'is no longer a parameter' })
    .optional()
    .meta({ deprecated: true, description: 'Deprecated; do not use' }),
  limit: createPageSize({ defaultSize: PAGE_ROWS_MAX, max: PAGE_ROWS_MAX }),
  offset: pageOffset,
  cursor: pageCursor,
})
type AgentsQuery = z.output<typeof AgentsQuery>

export const listAgents = defineOperation({
  id: 'listAgents',
  method: 'GET',
  path: '/api/registry/agents',
  group: 'Agent Discovery',
  summary: 'List the agents that members added',
  description:
    'Returns public agents. With the API key of a member that has API access, it also returns agents shared with ' +
    'members. `health`, `capabilities`, `properties` and `compliance` add details. If you combine `metric_id`, ' +
    '`accreditation` and `q`, a single metric must match all of them; the format filters work the same way.',
  access: 'optional',
  cache: 'personal',
  queriesSnapshot: true,
  cacheKey: ({ principal }) => (isMember(principal) ? 'members' : 'all'),
  query: AgentsQuery,
  reply: { 200: AgentList },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, principal, services: { reader } }) => {
    const isWanted = parseFilter(query)
    getSnapshot(reader)
    const catalog = await loadAgentCatalog(reader)
    const visible = isMember(principal) ? catalog.shownToMembers : catalog.shownToAll
    const isVerified = createBadgeFilter(query, reader)
    const found = visible.filter(
      agent => isWanted(agent, catalog.facts.get(agent.url)) && isVerified(agent.url),
    )
    const { cursor, limit } = query
    const offset = cursor === undefined ? query.offset : Number(cursor)
    const page = found.slice(offset, offset + limit)
    const reach = query.health || query.properties ? await catalog.reach() : undefined
    const entries = function* (): Iterable<AgentEntry> {
      for (const agent of page) {
        const { url } = agent
        const compliance = query.compliance ? findComplianceSummary(reader, url) : undefined
        yield {
          ...toAgentEntry(agent, catalog.facts.get(url), reach?.get(url), query),
          ...(compliance && { compliance }),
        }
      }
    }
    const shown = fitItems('agents', entries()) as { agents: AgentEntry[] }
    return replyOk(
      {
        ...shown,
        count: shown.agents.length,
        total: found.length,
        ...buildPageEnd(offset, shown.agents.length, found.length),
      },
      {
        'x-registry-seq': String(catalog.seq),
        ...(isAskingForBadges(query) && { 'cache-control': 'no-store' }),
      },
    )
  },
})

/** Tells whether agents with visibility `members_only` are shown. */
function isMember(principal: Principal | undefined): boolean {
  return principal !== undefined && hasApiAccess(principal.tier)
}

type Filter = (agent: EnrolledAgent, facts: AgentFacts | undefined) => boolean

/** Parses the filter of an agent list; refuses one that contradicts itself. */
function parseFilter(query: AgentsQuery): Filter {
  const { metric_id: metric_ids, accreditation: accreditations, type } = query
  const metric = { metric_ids, accreditations, q: query.q || undefined }
  const format = {
    format_kinds: query.format_kind,
    creative_operations: parseKnown(
      'creative_operation',
      query.creative_operation,
      creativeOperations,
    ),
    publisher_domain: query.publisher_domain,
    format_option_id: query.format_option_id || undefined,
    capability_id: query.capability_id || undefined,
  }
  parseKnown('verification_mode', query.verification_mode, verificationModes)
  const [byMetric, byFormat] = [hasMetricConditions(metric), hasFormatConditions(format)]
  if (metric_ids.length * accreditations.length > METRIC_PAIRS_MAX) {
    refuse(
      'invalid_request',
      `metric_id: must form at most ${METRIC_PAIRS_MAX} pairs with \`accreditation\``,
    )
  }
  if (byMetric && byFormat) {
    refuse(
      'invalid_request',
      'metric_id: cannot be combined with format filters, since measurement agents have no formats',
    )
  }
  if (byMetric && type !== undefined && type !== 'measurement') {
    refuse('invalid_request', 'type: only measurement agents have metrics')
  }
  const wanted = byMetric ? 'measurement' : type
  return (agent, facts) =>
    (wanted === undefined || agent.type === wanted) &&
    (!byMetric || hasMetric(facts?.statements?.measurement?.metrics ?? [], metric)) &&
    (!byFormat || hasFormat(facts?.statements?.supported_formats ?? [], format))
}

/** Filters by badges: one of them must have been tested in all the modes that are asked for. */
function createBadgeFilter(
  { verified, verification_mode }: AgentsQuery,
  reader: Reader,
): (agentUrl: string) => boolean {
  if (!verified && verification_mode.length === 0) return () => true
  const modes: readonly string[] = BADGE_MODES
  if (!verification_mode.every(mode => modes.includes(mode))) return () => false
  return agentUrl => listBadges(reader, agentUrl).length > 0
}

/** Parses values, each of which must be one of the known words. */
function parseKnown(name: string, values: readonly string[], words: readonly string[]) {
  const strange = values.find(value => !words.includes(value))
  if (strange !== undefined) {
    refuse('invalid_request', `${name}: ${describeChoices(words)}`, {
      valid_values: [...words],
    })
  }
  return values
}

function isAskingForBadges({ compliance, verified, verification_mode }: AgentsQuery): boolean {
  return compliance || verified || verification_mode.length > 0
}
