import { writer } from '../points/writer.ts'
import type { AgentIndex, Dimension } from './agent-index.ts'
import { inAll } from './postings.ts'

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
  cursorOf(place: Place): string
}

/** A page of the agents that pass, the most relevant first, as JSON that is ready to be sent. */
export function searchAgents(agents: AgentIndex, asked: AgentsAsked): Buffer {
  const { filters, limit, maxBytes } = asked
  const breadth = filters.size > 0 ? 1 : 0
  const matched = `"matched_filters":${JSON.stringify([...filters.keys()])}`
  let last: number | undefined
  let written = 0
  let hasMore = false
  writer.start()
  writer.ascii('{"results":[')
  for (const rank of passing(agents, asked)) {
    const head = agents.heads[rank]!
    hasMore = written === limit || (written > 0 && writer.length + head.length > maxBytes)
    if (hasMore) break
    if (written > 0) writer.ascii(',')
    writer.bytes(head)
    const score = rounded(breadth + agents.scores[rank]!)
    writer.ascii(`,"relevance_score":${score},${matched},"match":{"score":${score},${matched}}}`)
    last = rank
    written += 1
  }
  const cursor = last === undefined ? null : asked.cursorOf(placeAt(agents, last))
  writer.ascii(`],"cursor":${JSON.stringify(cursor)},"has_more":${hasMore}}`)
  return writer.finish()
}

function* passing(agents: AgentIndex, asked: AgentsAsked): Generator<number> {
  const { filters, type, hasTmp, minProperties, after } = asked
  const sets = [...filters].map(([name, values]) => agents.postings.any(name, values))
  if (type !== undefined) sets.push(agents.postings.any('type', [type]))
  const start = after === undefined ? 0 : rankAfter(agents, after)
  for (const rank of inAll(sets, start, agents.size)) {
    if (agents.propertyCounts[rank]! < minProperties) continue
    if (hasTmp !== undefined && agents.hasTmp[rank] !== hasTmp) continue
    yield rank
  }
}

/** The first rank behind a place, whether or not that agent is still there. */
function rankAfter({ scores, urls, size }: AgentIndex, { score, url }: Place): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    const its = scores[middle]!
    if (its > score || (its === score && urls[middle]! <= url)) low = middle + 1
    else high = middle
  }
  return low
}

/** Scores have twelve digits behind the point: sums keep the order and the ties of what is added. */
function rounded(score: number): number {
  return Math.round(score * 1e12) / 1e12
}

function placeAt({ scores, urls }: AgentIndex, rank: number): Place {
  return { score: scores[rank]!, url: urls[rank]! }
}
