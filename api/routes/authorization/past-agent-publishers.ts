import { getLast } from '../../../pipeline/core/present.ts'
import type { AgentPublisher } from '../../../pipeline/model/responses/authority.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import {
  findPastFacts,
  listPastReaches,
  type PastReach,
} from '../../../pipeline/read/queries/past-states.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import type { Past } from '../../responses/past.ts'
import { buildPublisherCursor, findReachFreshness, PUBLISHERS_BYTES } from './publisher-page.ts'

interface PastPageQuery {
  cursor?: string | undefined
  limit: number
  include?: readonly string[] | undefined
}

/** Builds one page of what publishers granted at a time of the past, as many as fit. */
export async function buildPastPage(
  reader: Reader,
  agentUrl: string,
  query: PastPageQuery,
  past: Past,
) {
  const found = await listPastReaches(past.snapshot, agentUrl, past.at, {
    after: query.cursor,
    limit: query.limit + 1,
  })
  const findFacts = await findPastFacts(
    past.snapshot,
    agentUrl,
    past.at,
    found.map(({ publisher_domain }) => publisher_domain),
  )
  const publishers: AgentPublisher[] = []
  const blocks: FreshnessBlock[] = []
  let bytes = 0
  for (const reach of found.slice(0, query.limit)) {
    if (bytes > PUBLISHERS_BYTES) break
    const shown = {
      ...toPastPublisher(reach, query.include !== undefined),
      ...findFacts(reach.publisher_domain),
    }
    publishers.push(shown)
    blocks.push(findReachFreshness(reader, reach))
    bytes += JSON.stringify(shown).length
  }
  const hasMore = publishers.length < found.length
  const next_cursor = hasMore ? buildPublisherCursor(getLast(publishers).publisher_domain) : null
  return { publishers, blocks, has_more: hasMore, next_cursor }
}

function toPastPublisher(reach: PastReach, hasIds: boolean): AgentPublisher {
  const { authorized_for: _, verified_by: __, property_ids, changed_at, ...others } = reach
  const { properties_without_id, ...rest } = others
  return {
    ...rest,
    ...(properties_without_id > 0 && { properties_without_id }),
    ...(hasIds && { property_ids: property_ids.sort() }),
    status: 'authorized',
    last_verified_at: changed_at,
  }
}
