import { createHash } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { getAt } from '../../../pipeline/core/present.ts'
import { SNAPSHOT_KEY } from '../../../pipeline/core/surrogate-keys.ts'
import { describeChoices } from '../../../pipeline/core/validation-messages.ts'
import {
  type AgentPublisher,
  AgentPublishers,
} from '../../../pipeline/model/responses/authority.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import { findAgent } from '../../../pipeline/read/lookups/agents.ts'
import { pickWeakestOfAny } from '../../../pipeline/read/lookups/deciding-files.ts'
import { findGrantFacts } from '../../../pipeline/read/lookups/grant-facts.ts'
import { findInventory } from '../../../pipeline/read/lookups/inventory.ts'
import { listReachesAfter, type StoredReach } from '../../../pipeline/read/lookups/reach.ts'
import { addState } from '../../../pipeline/read/lookups/stored.ts'
import { listReachKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { listRevokedPublishers } from '../../../pipeline/read/queries/revoked-publishers.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { asOf } from '../../inputs/as-of.ts'
import { parseAgent } from '../../inputs/sale.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { buildSeqHeader, getSnapshot } from '../../responses/lists.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { findPast } from '../../responses/past.ts'
import { replyOk, replyRefused, type Sent } from '../../responses/reply.ts'
import { buildPastPage } from './past-agent-publishers.ts'
import {
  buildPublisherCursor,
  findReachFreshness,
  PUBLISHERS_BYTES,
  publisherCursor,
} from './publisher-page.ts'

const PAGE_ROWS_DEFAULT = 200
const PUBLISHERS_MAX = 1_000
/** Publishers examined for one page: with `since`, most may be skipped. */
const SCANNED = 5_000

/** Creates a parameter that may be repeated, but is never a comma-separated list. */
function createRepeatable<const Value extends string>(
  values: readonly [Value, ...Value[]],
  description: string,
) {
  const item = z.enum(values)
  return z
    .union([item, z.array(item).min(1).max(10)], { error: describeChoices(values) })
    .transform(input => [input].flat() as Value[])
    .meta({ type: 'string', enum: [...values], description })
}

/** Anything but a number of at least 1 means the default page size. */
const limit = z
  .unknown()
  .optional()
  .transform(input => {
    const size = typeof input === 'string' && /^\d{1,15}$/.test(input) ? Number(input) : 0
    return Math.min(size || PAGE_ROWS_DEFAULT, PUBLISHERS_MAX)
  })
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: PUBLISHERS_MAX,
    default: PAGE_ROWS_DEFAULT,
    description: 'Publishers per page; larger values are capped',
  })

const query = z.object({
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Only publishers whose file was read at this time or later'),
  status: createRepeatable(
    ['authorized', 'revoked'],
    'Status of the publishers to list; defaults to `authorized`',
  ).optional(),
  include: createRepeatable(
    ['properties'],
    'Adds the IDs of the properties that the agent can sell',
  ).optional(),
  as_of: asOf,
  limit,
  cursor: publisherCursor.optional(),
})
type Query = z.output<typeof query>

const declared = {
  method: 'GET',
  group: 'Lookups & Authorization',
  summary: 'List an agent’s publishers',
  description:
    'Publishers are sorted by domain. Counts are per publisher and include only properties with an ID. `revoked` lists publishers that a manager’s file revoked after naming the agent for them, as of the last snapshot. `freshness` describes the least fresh file. `as_of` cannot be combined with `since` or `status=revoked`, and omits `revoked`, because no history of revocations is kept. Returns 404 for an agent that no publisher ever named.',
  access: 'public',
  cache: 'minute',
  dependsOn: ({
    params: { encodedUrl },
    reader,
  }: {
    params: { encodedUrl: string }
    reader: Reader
  }) => [...listReachKeys(reader, parseAgent('encodedUrl', encodedUrl)), SNAPSHOT_KEY],
  params: z.object({
    encodedUrl: z.string().describe('URL of the agent, percent-encoded'),
  }),
  query,
  reply: { 200: AgentPublishers },
  responseHeaders: ['ETag', 'X-Registry-Seq'],
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: ({
    params,
    query,
    services,
  }: {
    params: { encodedUrl: string }
    query: Query
    services: Services
  }) => {
    const requestedUrl = parseAgent('encodedUrl', params.encodedUrl)
    return query.as_of === undefined
      ? answer(services.reader, requestedUrl, query)
      : answerPast(services.reader, requestedUrl, query, query.as_of)
  },
} as const

export const listAgentPublishers = defineOperation({
  ...declared,
  id: 'listAgentPublishers',
  path: '/v1/agents/:encodedUrl/publishers',
})

export const listAgentPublishersAlias = defineOperation({
  ...declared,
  id: 'listAgentPublishersAlias',
  summary: 'List an agent’s publishers, under /api',
  path: '/api/v1/agents/:encodedUrl/publishers',
})

async function answer(reader: Reader, requestedUrl: string, query: Query): Promise<Sent> {
  const agent = findAgent(reader, requestedUrl)
  const { agent_url } = agent
  const wanted = new Set(query.status ?? ['authorized'])
  const hasNoTerms = query.status === undefined && query.since === undefined
  const snapshot = wanted.has('revoked') ? getSnapshot(reader) : undefined
  const revoked = snapshot ? await listRevokedPublishers(snapshot, agent_url) : []
  const { blocks, ...page } = buildPage(reader, agent_url, query, {
    authorized: wanted.has('authorized'),
    revoked,
  })
  if (hasNoTerms && !query.cursor && page.publishers.length === 0 && agent.publisher_count === 0) {
    return replyUnnamed(reader, requestedUrl, agent_url)
  }
  const headers = wanted.has('revoked') ? buildSeqHeader(snapshot) : undefined
  return replyPage({ agent_url, ...page }, blocks, headers)
}

/** Answers from what publishers granted at a time of the past. */
async function answerPast(
  reader: Reader,
  requestedUrl: string,
  query: Query,
  as_of: string,
): Promise<Sent> {
  if (query.since !== undefined)
    refuse(
      'invalid_request',
      'as_of: cannot be combined with `since`: past attempts to read files are not kept',
    )
  if (query.status?.includes('revoked'))
    refuse(
      'invalid_request',
      'as_of: cannot be combined with the status `revoked`: past revocations are not kept',
    )
  const past = await findPast(reader, as_of)
  const { agent_url } = findAgent(reader, requestedUrl)
  const { blocks, ...shown } = await buildPastPage(reader, agent_url, query, past)
  const isEmpty = query.status === undefined && !query.cursor && shown.publishers.length === 0
  if (isEmpty) return replyUnnamed(reader, requestedUrl, agent_url)
  return replyPage({ agent_url, ...shown, as_of: toIso(past.at) }, blocks)
}

async function replyUnnamed(
  reader: Reader,
  requestedUrl: string,
  agent_url: string,
): Promise<Sent> {
  return replyRefused('not_found', `no known publisher has named ${requestedUrl}`, {
    agent_url,
    ...(await findMeant(reader, agent_url)),
  })
}

/** Replies with a page. Its ETag covers all but the times of the freshness, and the time of the newest reading. */
function replyPage(
  page: Pick<AgentPublishers, 'agent_url' | 'publishers' | 'as_of'>,
  blocks: readonly FreshnessBlock[],
  headers?: ReturnType<typeof buildSeqHeader>,
): Sent {
  const { agent_url, ...rest } = page
  const newest = page.publishers.reduce<string | null>(
    (newest, { last_verified_at: at }) => (newest === null || at > newest ? at : newest),
    null,
  )
  const content = { agent_url, directory_indexed_at: newest, ...rest }
  const own = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  const freshness = pickWeakestOfAny(blocks)
  return { ...replyOk({ ...content, freshness }, headers), etag: addState(own, freshness) }
}

interface Wanted {
  authorized: boolean
  revoked: readonly StoredReach[]
}

/** Builds one page of both kinds of publishers in one order, as many as fit. */
function buildPage(reader: Reader, agentUrl: string, query: Query, wanted: Wanted) {
  const publishers: AgentPublisher[] = []
  const blocks: FreshnessBlock[] = []
  let bytes = 0
  let scanned = 0
  let last: string | undefined
  for (const { status, reach } of listInOrder(reader, agentUrl, query.cursor, wanted)) {
    if (publishers.length === query.limit || scanned === SCANNED || bytes > PUBLISHERS_BYTES) {
      const next_cursor = last === undefined ? null : buildPublisherCursor(last)
      return { publishers, blocks, has_more: next_cursor !== null, next_cursor }
    }
    scanned++
    last = reach.publisher_domain
    const freshness = findReachFreshness(reader, reach)
    const shown = toPublisher(reader, agentUrl, { reach, status, freshness }, query)
    if (shown === undefined) continue
    publishers.push(shown)
    blocks.push(freshness)
    bytes += JSON.stringify(shown).length
  }
  return { publishers, blocks, has_more: false, next_cursor: null }
}

function* listInOrder(
  reader: Reader,
  agentUrl: string,
  after: string | undefined,
  { authorized, revoked }: Wanted,
): Iterable<{ status: AgentPublisher['status']; reach: StoredReach }> {
  const gone = revoked.filter(
    ({ publisher_domain }) => after === undefined || publisher_domain > after,
  )
  let next = 0
  const goneBefore = function* (domain?: string) {
    for (; next < gone.length; next++) {
      const reach = getAt(gone, next)
      if (domain !== undefined && reach.publisher_domain >= domain) return
      yield { status: 'revoked' as const, reach }
    }
  }
  if (authorized) {
    for (const reach of listReachesAfter(reader, agentUrl, { after })) {
      yield* goneBefore(reach.publisher_domain)
      if (gone[next]?.publisher_domain === reach.publisher_domain) next++
      yield { status: 'authorized', reach }
    }
  }
  yield* goneBefore()
}

interface Reached {
  reach: StoredReach
  status: AgentPublisher['status']
  freshness: FreshnessBlock
}

/** Converts a row to a publisher; undefined if its file was never read, or not since. */
function toPublisher(
  reader: Reader,
  agentUrl: string,
  { reach, status, freshness: { succeeded_at } }: Reached,
  { since, include }: Query,
): AgentPublisher | undefined {
  if (succeeded_at === undefined) return undefined
  if (since !== undefined && Date.parse(succeeded_at) < Date.parse(since)) return undefined
  const { publisher_domain, verified_by: _, authorized_for: __, sold: ___, ...rest } = reach
  return {
    publisher_domain,
    ...rest,
    ...(include && {
      property_ids: status === 'revoked' ? [] : listIds(reader, agentUrl, publisher_domain),
    }),
    status,
    ...(status === 'authorized' && findGrantFacts(reader, agentUrl, publisher_domain)),
    last_verified_at: succeeded_at,
  }
}

/** Lists the ids that grants in force reach, in alphabetical order. */
function listIds(reader: Reader, agentUrl: string, publisher: string): string[] {
  const inventory = findInventory(reader, publisher)
  if (inventory === undefined) return []
  const grants = inventory.grantsTo(agentUrl).filter(grant => grant.in_force)
  return inventory.properties
    .filter(property => property.is_active && grants.some(grant => grant.reaches(property)))
    .flatMap(property => property.property_id ?? [])
    .sort()
}
