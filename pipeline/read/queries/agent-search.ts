import { type LentBytes, writer } from '../lookups/buffer-builder.ts'
import { type AgentIndex, type Dimension, formatScore } from './agent-index.ts'
import { intersectRanks } from './rank-postings.ts'

/** A place in the order of relevance: after this agent. */
export interface Place {
  score: number
  url: string
}

export interface AgentsAsked {
  /** Values by dimension, of those that are filtered by: any of a dimension, and of each dimension. */
  filters: ReadonlyMap<Dimension, readonly string[]>
  type?: string | undefined
  hasTmp?: boolean | undefined
  minProperties: number
  after?: Place | undefined
  limit: number
  maxBytes: number
  formatCursor(place: Place): string
}

/** Searches for a page of the matching agents, the most relevant first, as JSON that is ready to be sent. */
export function searchAgents(agents: AgentIndex, asked: AgentsAsked): LentBytes {
  const { filters, limit, maxBytes } = asked
  const isFiltered = filters.size > 0
  const names = JSON.stringify([...filters.keys()])
  const end = Buffer.from(`${names}},"matched_filters":${names}}`)
  let last: number | undefined
  let written = 0
  let hasMore = false
  writer.start()
  writer.ascii('{"results":[')
  for (const rank of findRanks(agents, asked)) {
    hasMore =
      written === limit || (written > 0 && writer.length + agents.texts.measure(rank) > maxBytes)
    if (hasMore) break
    agents.texts.write(writer, rank, { comma: written > 0, score: isFiltered })
    if (!isFiltered) writer.ascii(formatScore(agents.scores[rank]!))
    writer.bytes(end)
    last = rank
    written += 1
  }
  const cursor = last === undefined ? null : asked.formatCursor(placeAt(agents, last))
  const text = JSON.stringify(cursor)
  const next = hasMore ? text : 'null'
  writer.ascii(`],"cursor":${text},"next_cursor":${next},"has_more":${hasMore}}`)
  return writer.lend()
}

/** Finds the agents of the page, and one more where there is one. */
function findRanks(agents: AgentIndex, asked: AgentsAsked): number[] {
  const { filters, type, hasTmp, minProperties, after, limit } = asked
  const unions = [...filters].map(([name, values]) => agents.postings.any(name, values))
  if (type !== undefined) unions.push(agents.postings.any('type', [type]))
  const start = after === undefined ? 0 : rankAfter(agents, after)
  return intersectRanks(
    unions,
    { start, end: agents.urls.length, most: limit + 1 },
    rank =>
      agents.propertyCounts[rank]! >= minProperties &&
      (hasTmp === undefined || (agents.hasTmp[rank] === 1) === hasTmp),
  )
}

/** Returns the first rank after a position, whether or not that agent still exists. */
function rankAfter({ scores, urls }: AgentIndex, { score, url }: Place): number {
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

function placeAt({ scores, urls }: AgentIndex, rank: number): Place {
  return { score: scores[rank]!, url: urls[rank]! }
}
