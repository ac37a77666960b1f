import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import {
  type ChangePlace,
  catalogChanges,
  catalogCollections,
  catalogEntries,
} from '../../pipeline/index/queries/catalog.ts'
import {
  Catalog,
  CatalogSync,
  CollectionCatalog,
  catalogSources,
  classifications,
  propertyStatuses,
} from '../../pipeline/model/answers-catalog.ts'
import { cursorOf, cursorText, Moment, whole } from '../fields.ts'
import { pageOf, syncHeaders } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok, type Sent } from '../reply.ts'
import type { Services } from '../services.ts'

const SEARCH_CHARS = 200
const LARGEST_OFFSET = 1e9

export const listCatalog = operation({
  id: 'listCatalog',
  method: 'GET',
  path: '/api/registry/catalog',
  group: 'Property Resolution',
  summary: 'The catalog of properties',
  description:
    'Properties by rid. `total` counts all that match, `next_cursor` is null on the last page, and ' +
    '`active_since` asks for those that changed since then. `min_resolves` is accepted: nobody counts.',
  access: 'public',
  cache: 'list',
  query: z.object({
    classification: z.enum(classifications).optional(),
    source: z.enum(catalogSources).optional(),
    status: z.enum([...propertyStatuses, 'all']).default('active'),
    identifier_type: z.string().max(SEARCH_CHARS).optional(),
    search: z.string().max(SEARCH_CHARS).optional(),
    min_resolves: whole({ min: 0, max: LARGEST_OFFSET, default: 0 }),
    active_since: Moment.optional(),
    limit: whole({ min: 1, max: 1_000, default: 100, clamp: true }),
    cursor: cursorOf(z.tuple([z.uuid()])),
  }),
  reply: { 200: Catalog },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { cursor, limit, min_resolves: _, ...filters }, services }) => {
    const { snapshot } = services.reader
    const { items, total } = snapshot
      ? await catalogEntries(snapshot, { ...filters, after: cursor?.[0], limit: limit + 1 })
      : { items: [], total: 0 }
    const { items: entries, hasMore } = pageOf(items, limit)
    const next_cursor = hasMore ? cursorText([entries.at(-1)!.property_rid]) : null
    return ok({ entries, total, next_cursor }, syncHeaders(snapshot, services))
  },
})

const changePlace = z
  .tuple([z.iso.datetime(), z.uuid()])
  .transform(([updated_at, property_rid]): ChangePlace => ({ updated_at, property_rid }))

export const syncCatalog = operation({
  id: 'syncCatalog',
  method: 'GET',
  path: '/api/registry/catalog/sync',
  group: 'Property Resolution',
  summary: 'Properties that changed since a moment',
  description:
    'Properties in the order of their last change, also those that became stale or were merged. ' +
    'Follow `next_cursor` to the end, then pass the `server_timestamp` of the first page as the next ' +
    '`since`: some changes may be told again, none is missing.',
  access: 'public',
  cache: 'list',
  query: z.object({
    since: Moment,
    limit: whole({ min: 1, max: 10_000, default: 10_000, clamp: true }),
    cursor: cursorOf(changePlace),
  }),
  reply: { 200: CatalogSync },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { since, limit, cursor: after }, services }) => {
    const { snapshot } = services.reader
    const items = snapshot ? await catalogChanges(snapshot, { since, after, limit: limit + 1 }) : []
    const { items: entries, hasMore } = pageOf(items, limit)
    const last = entries.at(-1)
    const next_cursor = hasMore && last ? cursorText([last.updated_at, last.property_rid]) : null
    return ok(
      { entries, server_timestamp: shownUntil(services), next_cursor },
      syncHeaders(snapshot, services),
    )
  },
})

/** Changes of the commit that is shown may still be followed by others of the same millisecond. */
function shownUntil({ reader }: Services): string {
  const committed = reader.snapshot?.committedAt ?? null
  return isoOf(committed === null ? 0 : Date.parse(committed) - 1)
}

const collectionPage = z.object({
  limit: whole({ min: 1, max: 1_000, default: 1_000 }),
  offset: whole({ min: 0, max: LARGEST_OFFSET, default: 0 }),
})

export const listCatalogCollections = operation({
  id: 'listCatalogCollections',
  method: 'GET',
  path: '/api/registry/catalog/collections',
  group: 'Property Resolution',
  summary: 'The catalog of collections',
  access: 'public',
  cache: 'list',
  query: collectionPage,
  reply: { 200: CollectionCatalog },
  errors: ['invalid_request', 'unavailable'],
  handle: ({ query, services }) => collectionsAnswer(services, { ...query, status: 'active' }),
})

export const syncCatalogCollections = operation({
  id: 'syncCatalogCollections',
  method: 'GET',
  path: '/api/registry/catalog/collections/sync',
  group: 'Property Resolution',
  summary: 'Every collection there ever was',
  description:
    'In the order in which they became known, those that were removed too: no page loses one, ' +
    'whatever happens between two of them.',
  access: 'public',
  cache: 'list',
  query: collectionPage,
  reply: { 200: CollectionCatalog },
  errors: ['invalid_request', 'unavailable'],
  handle: ({ query, services }) => collectionsAnswer(services, query),
})

async function collectionsAnswer(
  services: Services,
  asked: { limit: number; offset: number; status?: 'active' },
): Promise<Sent> {
  const { snapshot } = services.reader
  const { limit, offset } = asked
  const { items, total } = snapshot
    ? await catalogCollections(snapshot, { ...asked, limit: limit + 1 })
    : { items: [], total: 0 }
  const { items: entries, hasMore } = pageOf(items, limit)
  const next_offset = hasMore ? offset + entries.length : null
  return ok({ entries, total, next_offset }, syncHeaders(snapshot, services))
}
