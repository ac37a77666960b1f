import { z } from 'zod'
import { membersOf, publicMember } from '../../pipeline/index/points/members.ts'
import { listPublishers } from '../../pipeline/index/queries/publishers.ts'
import { countAll } from '../../pipeline/index/queries/stats.ts'
import { type PublisherEntry, PublisherList } from '../../pipeline/model/answers-agents.ts'
import { whole } from '../fields.ts'
import { fitting, seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const PAGE = 1_000
const LARGEST_PAGE = 5_000

export const listRegisteredPublishers = operation({
  id: 'listPublishers',
  method: 'GET',
  path: '/api/registry/publishers',
  group: 'Agent Discovery',
  summary: 'List publishers',
  description:
    'Publishers whose adagents.json stands, by domain, whether they are members or not. The next ' +
    'page begins after `cursor`, the `next_cursor` of this one.',
  access: 'public',
  cache: 'list',
  query: z.object({
    cursor: z.string().max(253).optional().meta({ description: '`next_cursor` of a page' }),
    limit: whole({ min: 0, max: LARGEST_PAGE, default: PAGE, clamp: true }),
  }),
  reply: { 200: PublisherList },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, services: { reader } }) => {
    const { snapshot } = reader
    if (snapshot === undefined) {
      return ok({ publishers: [], count: 0, total: 0, next_cursor: null }, seqHeader(snapshot))
    }
    const members = membersOf(reader)
    const limit = query.limit || PAGE
    const rows = await listPublishers(snapshot, { after: query.cursor ?? '', limit: limit + 1 })
    const entries = rows.slice(0, limit).map(({ domain, agent_count, last_validated }) => {
      const member = publicMember(members.ownerOf(domain))
      return {
        domain,
        ...(member && { member }),
        agent_count,
        ...(last_validated !== null && { last_validated }),
        has_valid_adagents: true,
      }
    })
    const shown = fitting('publishers', entries) as { publishers: PublisherEntry[] }
    const { publishers } = shown
    return ok(
      {
        ...shown,
        count: publishers.length,
        total: (await countAll(snapshot)).total_publishers,
        next_cursor: publishers.length < rows.length ? publishers.at(-1)!.domain : null,
      },
      seqHeader(snapshot),
    )
  },
})
