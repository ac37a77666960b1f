// biome-ignore-all lint/style/noNonNullAssertion: ranks are indexes of every list of the agent index

import { type LentBytes, writer } from '../lookups/buffer-builder.ts'
import { type AgentIndex, type Dimension, formatScore, roundScore } from './agent-index.ts'
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

/** An agent of a page, with its relevance if it depends on the query. */
interface Match {
  rank: number
  /** Relevance among agents that match different shares of the asked values; else undefined. */
  score?: number
}

/** Searches for a page of the matching agents, the most relevant first, as JSON that is ready to be sent. */
export function searchAgents(agents: AgentIndex, query: AgentQuery): LentBytes {
  const { filters, limit, maxBytes } = query
  const isFiltered = filters.size > 0
  const names = JSON.stringify([...filters.keys()])
  const end = `${names}},"matched_filters":${names}}`
  let last: Match | undefined
  let written = 0
  let hasMore = false
  writer.start()
  writer.ascii('{"results":[')
  for (const match of findMatches(agents, query)) {
    const { rank, score } = match
    hasMore =
      written === limit || (written > 0 && writer.length + agents.texts.measure(rank) > maxBytes)
    if (hasMore) break
    const isUsual = isFiltered && score === undefined
    agents.texts.write(writer, rank, { comma: written > 0, score: isUsual })
    writer.ascii(isUsual ? end : formatScore(score ?? agents.scores[rank]!) + end)
    last = match
    written += 1
  }
  const cursor = last === undefined ? null : query.formatCursor(placeAt(agents, last))
  const text = JSON.stringify(cursor)
  const next = hasMore ? text : 'null'
  writer.ascii(`],"cursor":${text},"next_cursor":${next},"has_more":${hasMore}}`)
  return writer.lend()
}

/** Finds the agents of the page, and one more where there is one. */
function findMatches(agents: AgentIndex, query: AgentQuery): Match[] {
  const { after, limit } = query
  const asked = countAsked(query)
  // Where one value of each filter is asked, all that pass have all of them: the order is that of the index.
  if (asked === query.filters.size) {
    const start = after === undefined ? 0 : rankAfter(agents, after)
    return findRanks(agents, query, { start, max: limit + 1 }).map(rank => ({ rank }))
  }
  return findByBreadth(agents, query, asked)
}

/** Counts the values that are asked for, each once. */
function countAsked({ filters }: AgentQuery): number {
  return [...filters.values()].reduce((sum, values) => sum + new Set(values).size, 0)
}

/**
 * Finds the agents of the page where those that pass have different shares of the asked values. Agents with
 * equally many are in the order of the index, so the first ones of each number are enough.
 */
function findByBreadth(agents: AgentIndex, query: AgentQuery, asked: number): Match[] {
  const { filters, after, limit } = query
  const counts = agents.postings.count(filters)
  const found: Required<Match>[][] = Array.from({ length: asked + 1 }, () => [])
  for (const rank of findRanks(agents, query, { start: 0, max: agents.urls.length })) {
    const count = counts[rank]!
    const equal = found[count]!
    if (equal.length > limit) continue
    const score = roundScore(count / asked + agents.scores[rank]!)
    const isAfter =
      after === undefined ||
      score < after.score ||
      (score === after.score && agents.urls[rank]! > after.url)
    if (isAfter) equal.push({ rank, score })
  }
  const compare = (a: Required<Match>, b: Required<Match>) =>
    b.score - a.score || (agents.urls[a.rank]! < agents.urls[b.rank]! ? -1 : 1)
  return found
    .flat()
    .sort(compare)
    .slice(0, limit + 1)
}

/** Finds the ranks of agents that pass the filters, from `start` on and at most `max`. */
function findRanks(
  agents: AgentIndex,
  { filters, type, hasTmp, minProperties }: AgentQuery,
  { start, max }: { start: number; max: number },
): number[] {
  const unions = [...filters].map(([name, values]) => agents.postings.any(name, values))
  if (type !== undefined) unions.push(agents.postings.any('type', [type]))
  return intersectRanks(
    unions,
    { start, end: agents.urls.length, max },
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

function placeAt({ scores, urls }: AgentIndex, { rank, score }: Match): SearchPosition {
  return { score: score ?? scores[rank]!, url: urls[rank]! }
}
