import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { getLast } from '../../../pipeline/core/present.ts'
import {
  Catalog,
  CatalogSync,
  CollectionCatalog,
  catalogSources,
  classifications,
  propertyStatuses,
} from '../../../pipeline/model/responses/catalog.ts'
import {
  type ChangePosition,
  findCatalogCollections,
  listCatalogChanges,
  listCatalogEntries,
} from '../../../pipeline/read/queries/catalog.ts'
import {
  createCursor,
  createPageSize,
  createWholeNumber,
  DateTime,
  encodeCursor,
  pageCursor,
} from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { buildSyncHeaders, cutPage, getSnapshot } from '../../responses/lists.ts'
import { replyOk, type Sent } from '../../responses/reply.ts'

const SEARCH_CHARS = 200
const OFFSET_MAX = 1e9

export const listCatalog = defineOperation({
  id: 'listCatalog',
  method: 'GET',
  path: '/api/registry/catalog',
  group: 'Property Resolution',
  summary: 'List the property catalog',
  description:
    'Returns properties sorted by `property_rid`. `total` counts all matches, and `next_cursor` is null on the last page. With `active_since`, returns properties that changed since that time. `min_resolves` has no effect.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: z.object({
    classification: z
      .enum(classifications)
      .optional()
      .describe('Only properties with this classification; all by default'),
    source: z.enum(catalogSources).optional().describe('Only properties from this source'),
    status: z
      .enum([...propertyStatuses, 'all'])
      .default('active')
      .describe('Only properties with this status'),
    identifier_type: z
      .string()
      .max(SEARCH_CHARS)
      .optional()
      .describe('Only properties with an identifier of this type, such as `ios_bundle`'),
    search: z
      .string()
      .max(SEARCH_CHARS)
      .optional()
      .describe('Part of a name, domain or identifier; blank for all'),
    min_resolves: createWholeNumber({
      description: 'No effect: usage is not counted',
      min: 0,
      max: OFFSET_MAX,
      default: 0,
    }),
    active_since: DateTime.optional().describe('Only properties that changed since this time'),
    limit: createPageSize({ defaultSize: 100, max: 1_000 }),
    cursor: createCursor('catalog', z.tuple([z.uuid()])),
  }),
  reply: { 200: Catalog },
  responseHeaders: ['X-Registry-Seq', 'X-Sync-Cursor'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { cursor, limit, min_resolves: _, ...filters }, services }) => {
    const snapshot = getSnapshot(services.reader)
    const { items, total } = snapshot
      ? await listCatalogEntries(snapshot, { ...filters, after: cursor?.[0], limit: limit + 1 })
      : { items: [], total: 0 }
    const { items: entries, hasMore } = cutPage(items, limit)
    const next_cursor = hasMore ? encodeCursor('catalog', [getLast(entries).property_rid]) : null
    return replyOk(
      { entries, total, has_more: hasMore, next_cursor },
      buildSyncHeaders(snapshot, services),
    )
  },
})

const changePlace = z
  .tuple([z.iso.datetime(), z.uuid()])
  .transform(([updated_at, property_rid]): ChangePosition => ({ updated_at, property_rid }))

export const syncCatalog = defineOperation({
  id: 'syncCatalog',
  method: 'GET',
  path: '/api/registry/catalog/sync',
  group: 'Property Resolution',
  summary: 'List properties that changed since a given time',
  description:
    'Returns properties in the order of their last change, including those that became stale or were merged. Follow `next_cursor` to the end. Next time, pass the `server_timestamp` of the first page as `since`. Some changes may be returned twice, but none is missing.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: z.object({
    since: DateTime.describe('Time after which changes are listed, in ISO 8601'),
    limit: createPageSize({ defaultSize: 10_000, max: 10_000 }),
    cursor: createCursor('catalog sync', changePlace),
  }),
  reply: { 200: CatalogSync },
  responseHeaders: ['X-Registry-Seq', 'X-Sync-Cursor'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { since, limit, cursor: after }, services }) => {
    const snapshot = getSnapshot(services.reader)
    const items = snapshot
      ? await listCatalogChanges(snapshot, { since, after, limit: limit + 1 })
      : []
    const { items: entries, hasMore } = cutPage(items, limit)
    const last = entries.at(-1)
    const next_cursor =
      hasMore && last ? encodeCursor('catalog sync', [last.updated_at, last.property_rid]) : null
    return replyOk(
      { entries, server_timestamp: findShownUntil(services), has_more: hasMore, next_cursor },
      buildSyncHeaders(snapshot, services),
    )
  },
})

/**
 * Finds the time up to which changes are complete: later changes may have the same millisecond as the shown
 * commit.
 */
function findShownUntil({ reader }: Services): string {
  const committed = reader.snapshot?.committedAt ?? null
  return toIso(committed === null ? 0 : Date.parse(committed) - 1)
}

const collectionPage = z.object({
  limit: createWholeNumber({
    description: 'Collections per page',
    min: 1,
    max: 1_000,
    default: 1_000,
  }),
  offset: createWholeNumber({
    description: 'Collections to skip',
    min: 0,
    max: OFFSET_MAX,
    default: 0,
  }),
  cursor: pageCursor,
})

/** Lists collections. */
const collectionList = {
  method: 'GET',
  group: 'Property Resolution',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: collectionPage,
  reply: { 200: CollectionCatalog },
  responseHeaders: ['X-Registry-Seq', 'X-Sync-Cursor'],
  errors: ['invalid_request', 'unavailable'],
} as const

export const listCatalogCollections = defineOperation({
  ...collectionList,
  id: 'listCatalogCollections',
  path: '/api/registry/catalog/collections',
  summary: 'List collections',
  handle: ({ query, services }) => replyCollections(services, { ...query, status: 'active' }),
})

export const syncCatalogCollections = defineOperation({
  ...collectionList,
  id: 'syncCatalogCollections',
  path: '/api/registry/catalog/collections/sync',
  summary: 'List all collections, including removed ones',
  description:
    'Returns collections in the order in which they first appeared, including removed ones, so that changes between two requests never make a page skip one.',
  handle: ({ query, services }) => replyCollections(services, query),
})

async function replyCollections(
  services: Services,
  query: { limit: number; offset: number; cursor?: string | undefined; status?: 'active' },
): Promise<Sent> {
  const snapshot = getSnapshot(services.reader)
  const { limit, cursor, status } = query
  const offset = cursor === undefined ? query.offset : Number(cursor)
  const { items, total } = snapshot
    ? await findCatalogCollections(snapshot, {
        offset,
        limit: limit + 1,
        ...(status && { status }),
      })
    : { items: [], total: 0 }
  const { items: entries, hasMore } = cutPage(items, limit)
  const next_offset = hasMore ? offset + entries.length : null
  const next_cursor = next_offset === null ? null : String(next_offset)
  const page = { entries, total, has_more: hasMore, next_cursor, next_offset }
  return replyOk(page, buildSyncHeaders(snapshot, services))
}
