import { z } from 'zod'
import { toAssignedCountry } from '../../../pipeline/core/country.ts'
import { AgentTypeOrUnknown, channels } from '../../../pipeline/model/documents/index.ts'
import { AgentSearchAnswer } from '../../../pipeline/model/responses/agent-search.ts'
import {
  type AgentIndex,
  type Dimension,
  dimensions,
} from '../../../pipeline/read/queries/agent-index.ts'
import { type AgentQuery, searchAgents } from '../../../pipeline/read/queries/agent-search.ts'
import { createCsv, createCursor, createWholeNumber, encodeCursor } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import { buildSyncHeaders, getSnapshot, LIST_BYTES } from '../../responses/lists.ts'
import { replyLent, replyOk } from '../../responses/reply.ts'

const COUNT_MAX = 1e9

/** Creates a filter by words that are stored in lower case. */
function createWords(description: string) {
  return createCsv(description).transform(words => words.map(word => word.toLowerCase()))
}

const filters = {
  channels: createWords(
    `Channels that the agent or its publishers name, such as ${channels.map(name => `\`${name}\``).join(', ')}`,
  ),
  property_types: createWords('Kinds of properties that the agent reaches, such as `website`'),
  markets: createCsv('Countries in which the agent can sell, as two-letter codes').transform(
    (codes, ctx): readonly string[] => {
      const upper = codes.map(code => code.toUpperCase())
      if (upper.some(code => toAssignedCountry(code) !== code))
        ctx.addIssue('must be two-letter country codes, such as GB')
      return upper
    },
  ),
  categories: createCsv('Content categories of the inventory'),
  tags: createWords('Tags of the properties that the agent reaches'),
  delivery_types: createWords('Delivery types of the agent’s products, such as `guaranteed`'),
  format_kinds: createWords(
    'Kinds of formats that the agent creates, accepts or sells, such as `image`',
  ),
}

/** The list, as its cursors name it. */
const LIST = 'agent search'

const place = z.tuple([z.number(), z.string()]).transform(([score, url]) => ({ score, url }))

const SearchQuery = z.object({
  ...filters,
  has_tmp: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: only agents that declare support for trusted match; `false`: only others'),
  min_properties: createWholeNumber({
    description: 'Only agents that reach at least this many properties',
    min: 0,
    max: COUNT_MAX,
    default: 0,
  }),
  type: AgentTypeOrUnknown.optional().describe('Only agents of this type'),
  sort: z
    .string()
    .optional()
    .meta({ deprecated: true, description: 'No effect: results are always sorted by relevance' }),
  cursor: createCursor(LIST, place),
  limit: createWholeNumber({ description: 'Agents per page', min: 1, max: 200, default: 50 }),
})
type SearchQuery = z.output<typeof SearchQuery>

export const searchForAgents = defineOperation({
  id: 'searchAgents',
  method: 'GET',
  path: '/api/registry/agents/search',
  group: 'Agent Discovery',
  summary: 'Search agents by their inventory',
  description:
    'Returns the agents that publishers list and that match every filter. A filter matches if any of its values does. The most relevant agents come first: `relevance_score` is the share of the requested values that the agent has, plus 0.1 · ln(property_count + 1), plus 0.05 for trusted match. Agents with equal scores are sorted by URL. If nothing is found, `unmatched_values` names the values that no agent has.',
  access: 'bearer',
  cache: 'private',
  query: SearchQuery,
  reply: { 200: AgentSearchAnswer },
  responseHeaders: ['X-Registry-Seq', 'X-Sync-Cursor'],
  errors: ['invalid_request'],
  handle: ({ query, services }) => {
    const snapshot = getSnapshot(services.reader)
    const headers = buildSyncHeaders(snapshot, services)
    if (snapshot === undefined) {
      return replyOk({ results: [], cursor: null, next_cursor: null, has_more: false }, headers)
    }
    const answer = (agents: AgentIndex) => replyLent(searchAgents(agents, toAsked(query)), headers)
    const { agents } = snapshot
    return agents instanceof Promise ? agents.then(answer) : answer(agents)
  },
})

function toAsked(query: SearchQuery): AgentQuery {
  return {
    filters: readFilters(query),
    type: query.type,
    hasTmp: query.has_tmp === undefined ? undefined : query.has_tmp === 'true',
    minProperties: query.min_properties,
    after: query.cursor,
    limit: query.limit,
    maxBytes: LIST_BYTES,
    formatCursor: ({ score, url }) => encodeCursor(LIST, [score, url]),
  }
}

function readFilters(query: Record<Dimension, readonly string[]>) {
  const asked = dimensions.filter(name => query[name].length > 0)
  return new Map(asked.map(name => [name, query[name]]))
}
