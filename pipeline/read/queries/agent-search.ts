// biome-ignore-all lint/style/noNonNullAssertion: ranks are indexes of every list of the agent index

import { type LentBytes, writer } from '../lookups/buffer-builder.ts'
import {
  type AgentIndex,
  computeReachScore,
  type Dimension,
  formatScore,
  roundScore,
} from './agent-index.ts'
import { type Bits, walkRanks } from './rank-postings.ts'
import { listUnmatchedValues } from './unmatched-values.ts'

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
  /** True if it has all asked values; then its text has its score. */
  hasAll: boolean
}

/** Searches for a page of the matching agents, the most relevant first, as JSON that is ready to be sent. */
export function searchAgents(agents: AgentIndex, query: AgentQuery): LentBytes {
  const { filters, limit, maxBytes } = query
  const names = JSON.stringify([...filters.keys()])
  const end = Buffer.from(`${names}},"matched_filters":${names}}`)
  let last: Match | undefined
  let written = 0
  let hasMore = false
  writer.start()
  writer.ascii('{"results":[')
  for (const match of findMatches(agents, query)) {
    const { rank, score, hasAll } = match
    hasMore =
      written === limit || (written > 0 && writer.length + agents.texts.measure(rank) > maxBytes)
    if (hasMore) break
    agents.texts.write(writer, rank, { comma: written > 0, score: hasAll })
    if (!hasAll) writer.ascii(formatScore(score ?? agents.scores[rank]!))
    writer.bytes(end)
    last = match
    written += 1
  }
  const cursor = last === undefined ? null : query.formatCursor(placeAt(agents, last))
  const text = JSON.stringify(cursor)
  const next = hasMore ? text : 'null'
  writer.ascii(`],"cursor":${text},"next_cursor":${next},"has_more":${hasMore}`)
  // Filters take any value: whoever misspells one would take the empty answer for the truth.
  const unmatched = last === undefined ? listUnmatchedValues(agents, filters) : []
  if (unmatched.length > 0)
    writer.bytes(Buffer.from(`,"unmatched_values":${JSON.stringify(unmatched)}`))
  writer.ascii('}')
  return writer.lend()
}

/** Finds the agents of the page, and one more where there is one. */
function findMatches(agents: AgentIndex, query: AgentQuery): Match[] {
  const { filters, after, limit } = query
  const asked = countAsked(query)
  // Where one value of each filter is asked, all that pass have all of them: the order is that of the index.
  if (asked > filters.size) return findByBreadth(agents, query, asked)
  const start = after === undefined ? 0 : rankAfter(agents, after)
  const matches: Match[] = []
  walk(agents, query, { start, counted: 0 }, rank => {
    return matches.push({ rank, hasAll: asked > 0 }) <= limit
  })
  return matches
}

/** Counts the values that are asked for, each once. */
function countAsked({ filters }: AgentQuery): number {
  return [...filters.values()].reduce((sum, values) => sum + new Set(values).size, 0)
}

/**
 * Finds the agents of the page where those that pass have different shares of the asked values. Agents with
 * equally many are in the order of the index: once there are enough of them, the rest are not looked at.
 */
function findByBreadth(agents: AgentIndex, query: AgentQuery, asked: number): Match[] {
  const { filters, after, limit } = query
  const found = Array.from({ length: asked + 1 }, (): Required<Match>[] => [])
  walk(agents, query, { start: 0, counted: filters.size }, (rank, count) => {
    const score = roundScore(count / asked + agents.scores[rank]!)
    const url = agents.urls[rank]!
    if (after !== undefined && (score > after.score || (score === after.score && url <= after.url)))
      return true
    return found[count]!.push({ rank, score, hasAll: count === asked }) <= limit
  })
  const compare = (a: Required<Match>, b: Required<Match>) =>
    b.score - a.score || (agents.urls[a.rank]! < agents.urls[b.rank]! ? -1 : 1)
  return found
    .flat()
    .sort(compare)
    .slice(0, limit + 1)
}

/** Walks the agents that pass all that is asked. */
function walk(
  { urls, scores, propertyCounts, hasTmp: tmp, postings }: AgentIndex,
  { filters, type, hasTmp, minProperties }: AgentQuery,
  { start, counted }: { start: number; counted: number },
  visit: (rank: number, count: number) => boolean,
): void {
  const groups = [...filters].map(([name, values]): Bits[] => postings.find(name, values))
  if (type !== undefined) groups.push(postings.find('type', [type]))
  // Who reaches enough properties is above the relevance that they alone give.
  const end = findFirst(urls.length, rank => scores[rank]! < computeReachScore(minProperties))
  walkRanks(groups, { start, end, counted }, (rank, count) => {
    const passes =
      propertyCounts[rank]! >= minProperties &&
      (hasTmp === undefined || (tmp[rank] === 1) === hasTmp)
    return !passes || visit(rank, count)
  })
}

/** Returns the first rank after a position, whether or not that agent still exists. */
function rankAfter({ scores, urls }: AgentIndex, { score, url }: SearchPosition): number {
  return findFirst(urls.length, rank => {
    const its = scores[rank]!
    return its < score || (its === score && urls[rank]! > url)
  })
}

/** Finds the first rank from which on something is true; `size` where it is of none. */
function findFirst(size: number, isTrue: (rank: number) => boolean): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function placeAt({ scores, urls }: AgentIndex, { rank, score }: Match): SearchPosition {
  return { score: score ?? scores[rank]!, url: urls[rank]! }
}
