import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { MEMBERS_KEY, SNAPSHOT_KEY } from '../../pipeline/core/surrogate-keys.ts'
import {
  DomainLookup,
  PublisherLookup,
  RegistryStats,
} from '../../pipeline/model/responses/index.ts'
import {
  buildUnknownPublisher,
  findDomainLookup,
  findPublisher,
  listClaiming,
} from '../../pipeline/read/lookups/publisher-lookup.ts'
import {
  buildPublisherPage,
  isPublisherKnown,
  withDeclared,
} from '../../pipeline/read/lookups/publisher-pages.ts'
import { findFileFreshness } from '../../pipeline/read/lookups/stored.ts'
import { listPublisherKeys, listSellerKeys } from '../../pipeline/read/lookups/surrogate-keys.ts'
import { listPlacements, loadFormats } from '../../pipeline/read/queries/publishers.ts'
import { loadStats } from '../../pipeline/read/queries/stats.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { createWholeNumber, PastedDomain, pageCursor } from '../inputs/fields.ts'
import { defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { buildPageEnd, buildSeqHeader, getSnapshot } from '../responses/lists.ts'
import { findMeantDomain, listMeantDomainKeys } from '../responses/meant-domain.ts'
import { isContent, replyOk, replyStored, type Sent } from '../responses/reply.ts'
import { ResponseBudget } from '../responses/response-budget.ts'

const PAGE_ROWS_DEFAULT = 200
/** Bytes of the two lists of a page, in addition to its other content. */
const PAGE_BYTES = 150 * 1024

export const lookUpPublisher = defineOperation({
  id: 'lookUpPublisher',
  method: 'GET',
  path: '/api/registry/publisher',
  group: 'Lookups & Authorization',
  summary: 'Look up the inventory that a domain publishes and the agents it authorizes',
  description:
    'An unknown domain gets a 200 with empty lists; `freshness` says whether its file was ever requested.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ query: { domain, include, formats_cursor }, reader }) => [
    ...listSellerKeys(reader, domain),
    ...listMeantDomainKeys(domain, meant => listPublisherKeys(reader, meant)),
    MEMBERS_KEY,
    ...(include === undefined && formats_cursor === undefined ? [] : [SNAPSHOT_KEY]),
  ],
  query: z.object({
    domain: PastedDomain,
    include: z
      .literal('placements')
      .optional()
      .describe('Adds the placements of the publisher’s file'),
    limit: createWholeNumber({
      description: 'Items per page, for each list; 0 for as many as fit',
      min: 0,
      max: 1_000,
      default: 0,
      clamp: true,
    }),
    placements_cursor: pageCursor.describe('`placements_next_cursor` of the previous page'),
    formats_cursor: pageCursor.describe('`formats_next_cursor` of the previous page'),
    cursor: pageCursor.describe('`next_cursor` of the previous page of properties and agents'),
  }),
  reply: { 200: PublisherLookup },
  responseHeaders: ['ETag', 'X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: ({ query, caller, services }) => {
    const sent = replyLookup(query, caller, services)
    const { domain, formats_cursor } = query
    return formats_cursor === undefined
      ? sent
      : replyWithFormats(sent, services, domain, Number(formats_cursor))
  },
})

interface PublisherQuery {
  domain: Domain
  include?: 'placements' | undefined
  limit: number
  cursor?: string | undefined
  placements_cursor?: string | undefined
}

function replyLookup(
  { domain, include, limit, cursor, placements_cursor }: PublisherQuery,
  caller: () => string,
  services: Services,
): Sent | Promise<Sent> {
  const page = () =>
    buildPublisherPage(services.reader, domain, {
      limit: limit || PAGE_ROWS_DEFAULT,
      cursor: Number(cursor ?? 0),
      base: services.baseUrl(),
      fitHalf: items => new ResponseBudget(PAGE_BYTES / 2).take(items),
    }) as PublisherLookup
  const isPaged = cursor !== undefined || limit > 0
  const request = (lookup: PublisherLookup) => completeUnknown(lookup, services, caller)
  if (include !== undefined) {
    const start = Number(placements_cursor ?? 0)
    return replyWithPlacements(services, domain, start, request, isPaged ? page() : undefined)
  }
  return isPaged ? replyOk(request(page())) : replyPublisher(services, domain, request)
}

/** Requests the crawl of a publisher that was never crawled, and names the one that was meant where nothing is known. */
function completeUnknown(
  lookup: PublisherLookup,
  { demand, reader }: Services,
  caller: () => string,
): PublisherLookup {
  const isUnknown = lookup.freshness?.state === 'never_crawled'
  return {
    ...lookup,
    ...(isUnknown && demand.add(lookup.domain, caller) && { auto_crawl_triggered: true }),
    ...(!isPublisherKnown(reader, lookup.domain) &&
      findMeantDomain(lookup.domain, meant => isPublisherKnown(reader, meant))),
  }
}

/** Replies with a later page of the formats instead of the first. It comes from the snapshot. */
async function replyWithFormats(
  sent: Sent | Promise<Sent>,
  { reader }: Services,
  domain: Domain,
  start: number,
): Promise<Sent> {
  const { body } = await sent
  const lookup = (isContent(body) ? JSON.parse(body.toString()) : body) as PublisherLookup
  const { formats_total: _, formats_truncated: __, formats_next_cursor: ___, ...rest } = lookup
  const snapshot = getSnapshot(reader)
  const part = snapshot ? await loadFormats(snapshot, domain, start) : { formats: [] }
  return replyOk({ ...rest, ...part }, buildSeqHeader(snapshot))
}

/** Replies with the stored lookup, unless the brand.json of the domain adds properties. */
function replyPublisher(
  services: Services,
  domain: string,
  request: (lookup: PublisherLookup) => PublisherLookup,
): Sent {
  const { reader } = services
  const found = findPublisher(reader, domain, services.baseUrl())
  if (found?.hasInventory) return replyStored(found)
  const lookup: PublisherLookup = found
    ? JSON.parse(found.body.toString())
    : buildUnknownPublisher(reader, domain)
  const lent = withDeclared(reader, lookup)
  if (lent) return replyOk(lent)
  return found ? replyStored(found) : replyOk(request(lookup))
}

/**
 * Replies with placements, which come from the snapshot, so the ETag of the stored answer does not cover
 * them.
 */
async function replyWithPlacements(
  { reader, config, baseUrl }: Services,
  domain: string,
  start: number,
  request: (lookup: PublisherLookup) => PublisherLookup,
  page: PublisherLookup | undefined,
): Promise<Sent> {
  const snapshot = getSnapshot(reader)
  const all = snapshot ? await listPlacements(snapshot, domain) : []
  const placements = all.slice(start, start + config.LIMITS.answerItems)
  const { next_cursor } = buildPageEnd(start, placements.length, all.length)
  const shown = {
    placements,
    ...(placements.length < all.length && {
      placements_total: all.length,
      placements_truncated: true,
      placements_next_cursor: next_cursor,
    }),
  }
  const headers = buildSeqHeader(snapshot)
  if (page !== undefined) return replyOk({ ...request(page), ...shown }, headers)
  const found = findPublisher(reader, domain, baseUrl(), shown)
  if (found?.hasInventory) return replyOk(found.body, headers)
  const lookup: PublisherLookup = found
    ? JSON.parse(found.body.toString())
    : { ...request(buildUnknownPublisher(reader, domain)), ...shown }
  return replyOk(withDeclared(reader, lookup) ?? lookup, headers)
}

export const lookUpDomain = defineOperation({
  id: 'lookUpDomain',
  method: 'GET',
  path: '/api/registry/lookup/domain/:domain',
  group: 'Lookups & Authorization',
  summary: 'Look up the agents authorized for a domain',
  description: 'Superseded by `GET /api/registry/publisher`, which returns the inventory too.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ params: { domain }, reader }) => [
    ...listSellerKeys(reader, domain),
    ...listMeantDomainKeys(domain, meant => listPublisherKeys(reader, meant)),
    MEMBERS_KEY,
  ],
  deprecated: true,
  params: z.object({ domain: PastedDomain }),
  reply: { 200: DomainLookup },
  responseHeaders: ['ETag', 'Deprecation', 'Link'],
  errors: ['invalid_request'],
  handle: ({ params: { domain }, caller, services: { demand, reader } }) => {
    const headers = {
      deprecation: 'true',
      link: `</api/registry/publisher?domain=${domain}>; rel="successor-version"`,
    }
    const found = findDomainLookup(reader, domain)
    if (found) return replyStored(found, headers)
    const empty = buildEmptyLookup(reader, domain)
    if (empty.freshness?.state === 'never_crawled') demand.add(domain, caller)
    return replyOk(empty, headers)
  },
})

function buildEmptyLookup(reader: Reader, domain: string): DomainLookup {
  return {
    domain,
    authorized_agents: [],
    sales_agents_claiming: listClaiming(reader, domain),
    ...findMeantDomain(domain, meant => findDomainLookup(reader, meant) !== undefined),
    freshness: findFileFreshness(reader, 'adagents.json', domain),
  }
}

export const registryStats = defineOperation({
  id: 'registryStats',
  method: 'GET',
  path: '/api/registry/stats',
  group: 'Agent Discovery',
  summary: 'Get registry statistics',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  reply: { 200: RegistryStats },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['unavailable'],
  handle: async ({ services: { reader } }) => {
    const snapshot = getSnapshot(reader)
    return replyOk(await loadStats(reader), buildSeqHeader(snapshot))
  },
})
