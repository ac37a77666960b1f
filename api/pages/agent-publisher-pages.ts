import { findReachPlace } from '../../pipeline/read/lookups/reach.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { buildPublisherCursor, publisherCursor } from '../routes/authorization/publisher-page.ts'
import type { TablePages } from './parts/blocks.tsx'
import { toAgentPath } from './parts/paths.ts'

/** Publishers of an agent on one page. */
export const PUBLISHERS_SHOWN = 10

/** Query of a page of an agent’s publishers; with `as_of` of those that had authorized it then. */
export interface PublishersQuery {
  cursor?: string | undefined
  as_of?: string
}

/** Builds the ways to the other pages of an agent's publishers; those of the past are not counted. */
export function buildPublisherPages(
  reader: Reader,
  agentUrl: string,
  { cursor, as_of }: PublishersQuery,
  nextCursor: string | null,
): TablePages {
  const to = (cursor?: string) => {
    const query = new URLSearchParams({ ...(as_of && { as_of }), ...(cursor && { cursor }) })
    return query.size === 0 ? toAgentPath(agentUrl) : `${toAgentPath(agentUrl)}?${query}`
  }
  const toNext = () => (nextCursor === null ? undefined : to(nextCursor))
  const first = cursor ? to() : undefined
  if (as_of) return { before: undefined, first, previous: undefined, toNext }
  const last = publisherCursor.safeParse(cursor).data
  if (last === undefined) return { before: 0, first: undefined, previous: undefined, toNext }
  const { before, previous } = findReachPlace(reader, agentUrl, last, PUBLISHERS_SHOWN)
  return { before, first, previous: to(previous && buildPublisherCursor(previous)), toNext }
}
