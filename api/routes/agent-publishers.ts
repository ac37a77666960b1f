import { createHash } from 'node:crypto'
import { z } from 'zod'
import { parseDomain } from '../../pipeline/core/domain.ts'
import { findAgent } from '../../pipeline/index/points/agents.ts'
import { findInventory } from '../../pipeline/index/points/inventory.ts'
import { reachesAfter, type StoredReach } from '../../pipeline/index/points/reach.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import { revokedPublishers } from '../../pipeline/index/queries/revoked-publishers.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { type AgentPublisher, AgentPublishers } from '../../pipeline/model/answers-authority.ts'
import { isUrl } from '../../pipeline/model/observation.ts'
import { seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok, refused, type Sent } from '../reply.ts'
import { parseAgent } from '../sale-input.ts'
import type { Services } from '../services.ts'

const USUAL = 200
const MOST = 1_000
/** Publishers looked at for one page: with `since`, most may be passed over. */
const SCANNED = 5_000
const PAGE_BYTES = 1.5 * 1024 * 1024

/** Given once or several times, never as a list in one. */
function repeatable<const Value extends string>(values: readonly [Value, ...Value[]]) {
  const one = z.enum(values)
  return z
    .union([one, z.array(one).min(1).max(10)], { error: `must be of ${values.join(', ')}` })
    .transform(given => [given].flat() as Value[])
    .meta({ type: 'string', enum: [...values] })
}

/** Anything but a number of at least 1 means the usual page. */
const limit = z
  .unknown()
  .optional()
  .transform(given => {
    const size = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : 0
    return Math.min(size || USUAL, MOST)
  })
  .meta({ type: 'integer', minimum: 1, maximum: MOST, default: USUAL })

const cursor = z
  .string()
  .max(500)
  .transform((text, ctx) => {
    const domain = parseDomain(Buffer.from(text, 'base64url').toString())
    if (domain !== undefined && encode(domain) === text.replace(/=+$/, '')) return domain as string
    ctx.addIssue('must be the next_cursor of a page')
    return z.NEVER
  })
  .meta({ type: 'string' })

const query = z.object({
  since: z.iso.datetime({ offset: true }).optional(),
  status: repeatable(['authorized', 'revoked']).optional(),
  include: repeatable(['properties']).optional(),
  limit,
  cursor: cursor.optional(),
})
type Query = z.output<typeof query>

const declared = {
  method: 'GET',
  group: 'Lookups & Authorization',
  summary: 'The publishers of an agent, page by page',
  description:
    'By domain. Counts are of one publisher, and of properties that have an id. `revoked` are those ' +
    'that the file which named the agent for them has revoked, as of the snapshot that ' +
    '`X-Registry-Seq` tells.',
  access: 'public',
  cache: 'minute',
  params: z.object({ encodedUrl: z.string() }),
  query,
  reply: { 200: AgentPublishers },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: ({
    params,
    query,
    services,
  }: {
    params: { encodedUrl: string }
    query: Query
    services: Services
  }) => answer(services.reader, parseAgent('encodedUrl', params.encodedUrl), query),
} as const

export const listAgentPublishers = operation({
  ...declared,
  id: 'listAgentPublishers',
  path: '/v1/agents/:encodedUrl/publishers',
})

export const listAgentPublishersAlias = operation({
  ...declared,
  id: 'listAgentPublishersAlias',
  path: '/api/v1/agents/:encodedUrl/publishers',
})

async function answer(reader: Reader, asked: string, query: Query): Promise<Sent> {
  const agent = findAgent(reader, asked)
  const { agent_url } = agent
  const wanted = new Set(query.status ?? ['authorized'])
  const isPlain = query.status === undefined && query.since === undefined
  const { snapshot } = reader
  const revoked =
    wanted.has('revoked') && snapshot ? await revokedPublishers(snapshot, agent_url) : []
  const page = pageOf(reader, agent_url, query, {
    authorized: wanted.has('authorized'),
    revoked,
  })
  if (isPlain && !query.cursor && page.publishers.length === 0 && agent.publisher_count === 0) {
    return refused('not_found', `no publisher is known to have named ${asked}`, { agent_url })
  }
  const content = {
    agent_url,
    directory_indexed_at: page.publishers.reduce<string | null>(
      (newest, { last_verified_at: at }) => (newest === null || at > newest ? at : newest),
      null,
    ),
    ...page,
  }
  const etag = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  const body = { ...content, freshness: freshnessOf(reader, 'agent', agent_url) }
  return { ...ok(body, wanted.has('revoked') ? seqHeader(snapshot) : undefined), etag }
}

interface Wanted {
  authorized: boolean
  revoked: readonly StoredReach[]
}

/** Both kinds of publishers in one order, as many as fit. */
function pageOf(reader: Reader, agentUrl: string, query: Query, wanted: Wanted) {
  const publishers: AgentPublisher[] = []
  let bytes = 0
  let scanned = 0
  let last: string | undefined
  for (const { status, reach } of inOrder(reader, agentUrl, query.cursor, wanted)) {
    if (publishers.length === query.limit || scanned === SCANNED || bytes > PAGE_BYTES) {
      return { publishers, next_cursor: last === undefined ? null : encode(last) }
    }
    scanned++
    last = reach.publisher_domain
    const shown = publisherOf(reader, agentUrl, reach, status, query)
    if (shown === undefined) continue
    publishers.push(shown)
    bytes += JSON.stringify(shown).length
  }
  return { publishers, next_cursor: null }
}

function* inOrder(
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
    while (next < gone.length && (domain === undefined || gone[next]!.publisher_domain < domain)) {
      yield { status: 'revoked' as const, reach: gone[next++]! }
    }
  }
  if (authorized) {
    for (const reach of reachesAfter(reader, agentUrl, { after })) {
      yield* goneBefore(reach.publisher_domain)
      if (gone[next]?.publisher_domain === reach.publisher_domain) next++
      yield { status: 'authorized', reach }
    }
  }
  yield* goneBefore()
}

/** Undefined of one whose file was not read since, or never. */
function publisherOf(
  reader: Reader,
  agentUrl: string,
  { verified_by, authorized_for: _, sold: __, ...reach }: StoredReach,
  status: AgentPublisher['status'],
  { since, include }: Query,
): AgentPublisher | undefined {
  const file = isUrl(verified_by) ? reach.publisher_domain : verified_by
  const { succeeded_at } = freshnessOf(reader, 'adagents.json', file)
  if (succeeded_at === undefined) return undefined
  if (since !== undefined && Date.parse(succeeded_at) < Date.parse(since)) return undefined
  const { publisher_domain, ...rest } = reach
  return {
    publisher_domain,
    ...rest,
    ...(include && {
      property_ids: status === 'revoked' ? [] : idsOf(reader, agentUrl, publisher_domain),
    }),
    status,
    last_verified_at: succeeded_at,
  }
}

/** Ids of what grants in force reach, in the order of the alphabet. */
function idsOf(reader: Reader, agentUrl: string, publisher: string): string[] {
  const inventory = findInventory(reader, publisher)
  if (inventory === undefined) return []
  const grants = inventory.grantsTo(agentUrl).filter(grant => grant.in_force)
  return inventory.properties
    .filter(one => one.is_active && grants.some(grant => grant.reaches(one)))
    .flatMap(one => one.property_id ?? [])
    .sort()
}

function encode(domain: string): string {
  return Buffer.from(domain).toString('base64url')
}
