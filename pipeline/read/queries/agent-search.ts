// biome-ignore-all lint/style/noNonNullAssertion: ranks are indexes of every list of the agent index

import { type LentBytes, writer } from '../lookups/buffer-builder.ts'
import { type AgentIndex, type Dimension, formatScore } from './agent-index.ts'
import { intersectRanks } from './rank-postings.ts'

/** Position in the order of relevance: after the agent with this score and address. */
export interface SearchPosition {
  score: number
  url: string
}

export interface AgentQuery {
  /** Values by dimension: an agent must have any value of each dimension that is here. */
  filters: ReadonlyMap<Dimension, readonly string[]>
  type?: string | undefined
  hasTmp?: boolean | undefined
  minProperties: number
  after?: SearchPosition | undefined
  limit: number
  maxBytes: number
  formatCursor(place: SearchPosition): string
}

/** Searches for a page of the matching agents, the most relevant first, as JSON that is ready to be sent. */
export function searchAgents(agents: AgentIndex, query: AgentQuery): LentBytes {
  const { filters, limit, maxBytes } = query
  const isFiltered = filters.size > 0
  const names = JSON.stringify([...filters.keys()])
  const end = Buffer.from(`${names}},"matched_filters":${names}}`)
  let last: number | undefined
  let written = 0
  let hasMore = false
  writer.start()
  writer.ascii('{"results":[')
  for (const rank of findRanks(agents, query)) {
    hasMore =
      written === limit || (written > 0 && writer.length + agents.texts.measure(rank) > maxBytes)
    if (hasMore) break
    agents.texts.write(writer, rank, { comma: written > 0, score: isFiltered })
    if (!isFiltered) writer.ascii(formatScore(agents.scores[rank]!))
    writer.bytes(end)
    last = rank
    written += 1
  }
  const cursor = last === undefined ? null : query.formatCursor(placeAt(agents, last))
  const text = JSON.stringify(cursor)
  const next = hasMore ? text : 'null'
  writer.ascii(`],"cursor":${text},"next_cursor":${next},"has_more":${hasMore}}`)
  return writer.lend()
}

/** Finds the agents of the page, and one more where there is one. */
function findRanks(agents: AgentIndex, query: AgentQuery): number[] {
  const { filters, type, hasTmp, minProperties, after, limit } = query
  const unions = [...filters].map(([name, values]) => agents.postings.any(name, values))
  if (type !== undefined) unions.push(agents.postings.any('type', [type]))
  const start = after === undefined ? 0 : rankAfter(agents, after)
  return intersectRanks(
    unions,
    { start, end: agents.urls.length, max: limit + 1 },
    rank =>
      agents.propertyCounts[rank]! >= minProperties &&
      (hasTmp === undefined || (agents.hasTmp[rank] === 1) === hasTmp),
  )
}

/** Returns the first rank after a position, whether or not that agent still exists. */
function rankAfter({ scores, urls }: AgentIndex, { score, url }: SearchPosition): number {
  let low = 0
  let high = urls.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const its = scores[middle]!
    if (its > score || (its === score && urls[middle]! <= url)) low = middle + 1
    else high = middle
  }
  return low
}

function placeAt({ scores, urls }: AgentIndex, rank: number): SearchPosition {
  return { score: scores[rank]!, url: urls[rank]! }
}
