import { z } from 'zod'
import { getLast } from '../../pipeline/core/present.ts'
import { type PublisherEntry, PublisherList } from '../../pipeline/model/responses/agents.ts'
import { getMembers, toPublicMember } from '../../pipeline/read/lookups/members.ts'
import { listPublishers } from '../../pipeline/read/queries/publishers.ts'
import { countAll } from '../../pipeline/read/queries/stats.ts'
import { createPageSize, domainCursor } from '../inputs/fields.ts'
import { defineOperation } from '../operation/operation.ts'
import { buildSeqHeader, fitItems, getSnapshot } from '../responses/lists.ts'
import { replyOk } from '../responses/reply.ts'

const PAGE_ROWS_DEFAULT = 1_000
const PAGE_ROWS_MAX = 5_000

export const listRegisteredPublishers = defineOperation({
  id: 'listPublishers',
  method: 'GET',
  path: '/api/registry/publishers',
  group: 'Agent Discovery',
  summary: 'List publishers',
  description:
    'Returns publishers with a valid adagents.json, sorted by domain, whether or not they are members. To get the next page, pass `next_cursor` as `cursor`.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: z.object({
    cursor: domainCursor,
    limit: createPageSize({ defaultSize: PAGE_ROWS_DEFAULT, max: PAGE_ROWS_MAX }),
  }),
  reply: { 200: PublisherList },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, services: { reader } }) => {
    const snapshot = getSnapshot(reader)
    if (snapshot === undefined) {
      const none = { publishers: [], count: 0, total: 0, has_more: false, next_cursor: null }
      return replyOk(none, buildSeqHeader(snapshot))
    }
    const members = getMembers(reader)
    const { limit } = query
    const rows = await listPublishers(snapshot, { after: query.cursor ?? '', limit: limit + 1 })
    const entries = rows.slice(0, limit).map(({ domain, agent_count, last_validated }) => {
      const member = toPublicMember(members.findOwner(domain))
      return {
        domain,
        ...(member && { member }),
        agent_count,
        ...(last_validated !== null && { last_validated }),
        has_valid_adagents: true,
      }
    })
    const shown = fitItems('publishers', entries) as { publishers: PublisherEntry[] }
    const { publishers } = shown
    return replyOk(
      {
        ...shown,
        count: publishers.length,
        total: (await countAll(snapshot)).total_publishers,
        has_more: publishers.length < rows.length,
        next_cursor: publishers.length < rows.length ? getLast(publishers).domain : null,
      },
      buildSeqHeader(snapshot),
    )
  },
})
