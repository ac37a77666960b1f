import { z } from 'zod'
import { type Dimension, dimensions } from '../../pipeline/index/queries/agent-index.ts'
import { searchAgents } from '../../pipeline/index/queries/agent-search.ts'
import { AgentSearchAnswer } from '../../pipeline/model/answers-agent-search.ts'
import { AgentTypeOrUnknown } from '../../pipeline/model/documents.ts'
import { csv, cursorOf, cursorText, whole } from '../fields.ts'
import { LIST_BYTES, syncHeaders } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const MOST = 1e9

const filters = {
  channels: csv('channels that its publishers or itself name'),
  property_types: csv('types of properties'),
  markets: csv('countries').transform(codes => codes.map(code => code.toUpperCase())),
  categories: csv('content categories'),
  tags: csv('tags of properties'),
  delivery_types: csv('delivery types'),
}

const place = z.tuple([z.number(), z.string()]).transform(([score, url]) => ({ score, url }))

export const searchForAgents = operation({
  id: 'searchAgents',
  method: 'GET',
  path: '/api/registry/agents/search',
  group: 'Agent Discovery',
  summary: 'Find agents by what they reach',
  description:
    'Agents of the authorization graph that pass all filters; of the values of one filter any will ' +
    'do. The most relevant come first: `relevance_score` is 1 where a filter by values was passed, ' +
    'and 0.1 · ln(property_count + 1), and 0.05 for trusted match; agents of one score stand by their ' +
    'address. A replica takes the `X-Sync-Cursor` of its first page to the feed.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    ...filters,
    has_tmp: z.enum(['true', 'false']).optional(),
    min_properties: whole({ min: 0, max: MOST, default: 0 }),
    type: AgentTypeOrUnknown.optional(),
    sort: z.string().optional().meta({ description: 'accepted; the order is always by relevance' }),
    cursor: cursorOf(place),
    limit: whole({ min: 1, max: 200, default: 50 }),
  }),
  reply: { 200: AgentSearchAnswer },
  errors: ['invalid_request'],
  handle: ({ query, services }) => {
    const { snapshot } = services.reader
    const headers = syncHeaders(snapshot, services)
    if (snapshot === undefined) return ok({ results: [], cursor: null, has_more: false }, headers)
    const page = searchAgents(snapshot.agents, {
      filters: filtersIn(query),
      type: query.type,
      hasTmp: query.has_tmp === undefined ? undefined : query.has_tmp === 'true',
      minProperties: query.min_properties,
      after: query.cursor,
      limit: query.limit,
      maxBytes: LIST_BYTES,
      cursorOf: ({ score, url }) => cursorText([score, url]),
    })
    return ok(page, headers)
  },
})

function filtersIn(query: Record<Dimension, readonly string[]>) {
  return new Map(
    dimensions.flatMap((name): [Dimension, readonly string[]][] =>
      query[name].length === 0 ? [] : [[name, query[name]]],
    ),
  )
}
