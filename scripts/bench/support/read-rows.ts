import { channels } from '../../../pipeline/model/documents/index.ts'
import type { Random } from '../../world/random.ts'
import { pickDomain, pickUnknownDomain, toDomain } from './brand-store.ts'
import { listCursors, secret } from './event-store.ts'
import type { Question } from './load-runner.ts'
import {
  findAgentNear,
  markets,
  memberDomain,
  network,
  type Sizes,
  TAGS,
  toAgent,
  toTag,
} from './read-store.ts'

/** One kind of question of the bench of reads. */
export interface ReadRow {
  name: string
  /** Lower bound of ours ÷ bare. */
  atLeast: number
  /** Builds `count` questions to a store of these sizes. */
  questions(asked: { random: Random; sizes: Sizes; folder: string; count: number }): Question[]
}

/** Bound of answers that are found by one key. */
const POINT_LIKE = 0.4

const headers = { authorization: `Bearer ${secret}` }

/** Builds questions that differ only in their path. */
function buildQuestions(
  path: (random: Random, sizes: Sizes) => string,
  /** The route, where the path has parameters. */
  route?: string,
): ReadRow['questions'] {
  const question = { method: 'GET' as const, headers, ...(route && { route }) }
  return ({ random, sizes, count }) =>
    Array.from({ length: count }, () => ({ ...question, path: path(random, sizes) }))
}

/** Picks a domain; one in five is unknown. */
function pickKnownOrUnknown(random: Random, { domains }: Sizes): string {
  return random.chance(0.2) ? pickUnknownDomain(random) : pickDomain(random, domains)
}

function pickAgent(random: Random, { agents }: Sizes): string {
  return encodeURIComponent(toAgent(random.below(agents)))
}

export const readRows: readonly ReadRow[] = [
  {
    name: 'agent search, two filters',
    atLeast: 0.25,
    questions: buildQuestions(
      random =>
        `/api/registry/agents/search?channels=${random.pick(channels)}&markets=${random.pick(markets as [string])}`,
    ),
  },
  {
    name: 'agent search, a page further on',
    atLeast: 0.25,
    questions: buildQuestions(
      random =>
        `/api/registry/agents/search?tags=${toTag(random.below(TAGS))},${toTag(random.below(TAGS))}&min_properties=${random.below(1_500)}`,
    ),
  },
  {
    name: 'brands/registry',
    atLeast: 0.2,
    questions: buildQuestions(() => '/api/brands/registry'),
  },
  {
    name: 'properties/registry',
    atLeast: 0.2,
    questions: buildQuestions(() => '/api/properties/registry'),
  },
  {
    name: 'lookup/domain',
    atLeast: POINT_LIKE,
    questions: buildQuestions(
      (random, sizes) => `/api/registry/lookup/domain/${pickKnownOrUnknown(random, sizes)}`,
      '/api/registry/lookup/domain/:domain',
    ),
  },
  {
    name: 'publisher',
    atLeast: POINT_LIKE,
    questions: buildQuestions(
      (random, sizes) => `/api/registry/publisher?domain=${pickKnownOrUnknown(random, sizes)}`,
    ),
  },
  {
    name: 'publisher, 7,000 properties',
    atLeast: POINT_LIKE,
    questions: buildQuestions(() => `/api/registry/publisher?domain=${network}`),
  },
  {
    name: 'operator',
    atLeast: POINT_LIKE,
    questions: buildQuestions(
      (random, { members }) =>
        `/api/registry/operator?domain=${memberDomain(random.below(members))}`,
    ),
  },
  {
    name: 'publisher/authorization',
    atLeast: POINT_LIKE,
    questions: buildQuestions((random, sizes) => {
      const number = random.below(sizes.domains)
      const agent = encodeURIComponent(findAgentNear(number, random.below(3), sizes))
      return `/api/registry/publisher/authorization?domain=${toDomain(number)}&agent=${agent}`
    }),
  },
  {
    name: 'lookup/property',
    atLeast: POINT_LIKE,
    questions: buildQuestions(
      (random, sizes) =>
        `/api/registry/lookup/property?type=domain&value=www0.${pickKnownOrUnknown(random, sizes)}`,
    ),
  },
  {
    name: 'validate/property-authorization',
    atLeast: POINT_LIKE,
    questions: buildQuestions(
      (random, sizes) =>
        `/api/registry/validate/property-authorization?agent_url=${pickAgent(random, sizes)}&identifier_type=domain&identifier_value=www0.${pickKnownOrUnknown(random, sizes)}`,
    ),
  },
  {
    name: 'brands/resolve/bulk of 100',
    atLeast: 0.06,
    questions: ({ random, sizes, count }) =>
      Array.from({ length: Math.min(count, 1_000) }, () => ({
        method: 'POST',
        path: '/api/brands/resolve/bulk',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          domains: Array.from({ length: 100 }, () => pickKnownOrUnknown(random, sizes)),
        }),
      })),
  },
  {
    name: 'brands/history',
    atLeast: POINT_LIKE,
    questions: buildQuestions(
      (random, { domains }) => `/api/brands/history?domain=${toDomain(random.below(domains))}`,
    ),
  },
  {
    name: 'feed, a page of 100',
    atLeast: 0.25,
    questions: ({ folder, sizes, count }) =>
      listCursors(folder, sizes.events, count).map(cursor => ({
        method: 'GET',
        path: `/api/registry/feed?limit=100&cursor=${cursor}`,
        headers,
      })),
  },
]
