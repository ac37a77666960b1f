// biome-ignore-all lint/style/noNonNullAssertion: ranks are indexes of every list of the agent index

import { type LentBytes, writer } from '../lookups/buffer-builder.ts'
import { type AgentIndex, type Dimension, formatScore, roundScore } from './agent-index.ts'
import { type Bits, countSets, intersectRanks, readCount, removeCount } from './rank-postings.ts'

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
  const { filters, after, limit } = query
  const asked = countAsked(query)
  // Where one value of each filter is asked, all that pass have all of them: the order is that of the index.
  if (asked > filters.size) return findByBreadth(agents, query, asked)
  const start = after === undefined ? 0 : rankAfter(agents, after)
  const sets = uniteEach(agents, findSets(agents, query))
  return findRanks(agents, query, sets, { start, max: limit + 1 }).map(rank => ({ rank }))
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
  const sets = findSets(agents, query)
  const counts = countSets(sets.slice(0, filters.size).flat())
  const [first, ...others] = uniteEach(agents, sets)
  const left = first!.slice()
  const found = Array.from({ length: asked + 1 }, (): Required<Match>[] => [])
  findRanks(agents, query, [left, ...others], {
    start: 0,
    max: Number.POSITIVE_INFINITY,
    accepts: rank => {
      const count = readCount(counts, rank)
      const equal = found[count]!
      const score = roundScore(count / asked + agents.scores[rank]!)
      const url = agents.urls[rank]!
      const isBefore =
        after !== undefined && (score > after.score || (score === after.score && url <= after.url))
      if (isBefore || equal.length > limit) return false
      if (equal.push({ rank, score }) > limit) removeCount(left, counts, count)
      return true
    },
  })
  const compare = (a: Required<Match>, b: Required<Match>) =>
    b.score - a.score || (agents.urls[a.rank]! < agents.urls[b.rank]! ? -1 : 1)
  return found
    .flat()
    .sort(compare)
    .slice(0, limit + 1)
}

/** Finds the sets of the asked values: by filter in their order, then by type. */
function findSets({ postings }: AgentIndex, { filters, type }: AgentQuery): Bits[][] {
  const sets = [...filters].map(([name, values]) => postings.find(name, values))
  return type === undefined ? sets : [...sets, postings.find('type', [type])]
}

function uniteEach({ postings }: AgentIndex, sets: readonly Bits[][]): Bits[] {
  return sets.map(each => postings.unite(each))
}

/** Finds the ranks of the agents that pass and are accepted, from `start` on and at most `max`. */
function findRanks(
  { urls, propertyCounts, hasTmp: tmp }: AgentIndex,
  { hasTmp, minProperties }: AgentQuery,
  sets: readonly Bits[],
  { start, max, accepts }: { start: number; max: number; accepts?: (rank: number) => boolean },
): number[] {
  return intersectRanks(
    sets,
    { start, end: urls.length, max },
    rank =>
      propertyCounts[rank]! >= minProperties &&
      (hasTmp === undefined || (tmp[rank] === 1) === hasTmp) &&
      (accepts === undefined || accepts(rank)),
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
