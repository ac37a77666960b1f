import { z } from 'zod'
import { PropertyList, PropertyResolution } from '../../../pipeline/model/responses/index.ts'
import { findProperties, resolveProperties } from '../../../pipeline/read/lookups/resolutions.ts'
import { findFileFreshness } from '../../../pipeline/read/lookups/stored.ts'
import { buildFirstPage } from '../../../pipeline/read/queries/listed.ts'
import {
  listProperties,
  listPropertiesPage,
  noProperties,
  type PropertiesAsked,
  searchProperties,
} from '../../../pipeline/read/queries/properties.ts'
import type { Reader, Snapshot } from '../../../pipeline/read/reader.ts'
import { BulkDomains, describeBulk, parseDomainsLeniently } from '../../inputs/bulk.ts'
import { freshIgnored, PastedDomain } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import {
  buildSeqHeader,
  formatListPage,
  getSearch,
  getSnapshot,
  LIST_BYTES,
  listQuery,
  toOffset,
} from '../../responses/lists.ts'
import { replyLent, replyOk, replyRefused, replyStored, type Sent } from '../../responses/reply.ts'

export const resolveProperty = defineOperation({
  id: 'resolveProperty',
  method: 'GET',
  path: '/api/properties/resolve',
  group: 'Property Resolution',
  summary: 'Resolve a publisher domain to its properties and authorized agents',
  access: 'public',
  cache: 'revalidate',
  query: z.object({ domain: PastedDomain, fresh: freshIgnored }),
  reply: { 200: PropertyResolution },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { domain }, caller, services }) => {
    const found = findProperties(services.reader, domain)
    return found ? replyStored(found) : replyUnknownPublisher(services, domain, caller)
  },
})

function replyUnknownPublisher(
  { demand, reader }: Services,
  domain: string,
  caller: () => string,
): Sent {
  const freshness = findFileFreshness(reader, 'adagents.json', domain)
  if (freshness.state === 'never_crawled') demand.add(domain, caller)
  return replyRefused('not_found', `no properties are known for ${domain}`, { domain, freshness })
}

export const resolvePropertiesBulk = defineOperation({
  id: 'resolvePropertiesBulk',
  method: 'POST',
  path: '/api/properties/resolve/bulk',
  group: 'Property Resolution',
  summary: 'Resolve many publisher domains in one call',
  description: 'Results are keyed by the lower-case input; null where nothing is known.',
  access: 'public',
  cache: 'none',
  limit: 'bulk',
  body: BulkDomains,
  reply: { 200: describeBulk(PropertyResolution) },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited'],
  handle: ({ body, services: { config, reader } }) =>
    replyLent(
      resolveProperties(
        reader,
        parseDomainsLeniently(body.domains, config.LIMITS.bulkResolveDomains),
      ),
    ),
})

const propertyListQuery = listQuery(['adagents_json', 'community', 'enriched'], 100)

export const listRegisteredProperties = defineOperation({
  id: 'listProperties',
  method: 'GET',
  path: '/api/properties/registry',
  group: 'Property Resolution',
  summary: 'List properties',
  description:
    'Active properties. `search` is a part of the name, the publisher domain or an identifier: ' +
    'properties that are called so come first, then those that begin so; where none contains it, ' +
    'those that it may mean misspelled. `stats` counts all that match it, whatever `source` says.',
  access: 'public',
  cache: 'list',
  asksSnapshot: true,
  cacheKey: () => '',
  query: propertyListQuery,
  reply: { 200: PropertyList },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { cursor, ...asked }, services: { reader } }) => {
    const query = { ...asked, offset: toOffset({ cursor, offset: asked.offset }) }
    if (query.search) return searchPropertyList(reader, query.search, query)
    const { lists } = reader
    if (lists !== undefined)
      return replyOk(listPropertiesPage(lists, query, LIST_BYTES), buildSeqHeader(lists))
    const snapshot = getSnapshot(reader)
    const body = snapshot ? await listPropertiesOfSnapshot(snapshot, query) : noProperties
    return replyOk(body, buildSeqHeader(snapshot))
  },
})

function listPropertiesOfSnapshot(
  snapshot: Snapshot,
  asked: PropertiesAsked,
): Promise<string | Buffer> {
  return buildFirstPage(snapshot, 'properties', asked, async () => {
    const { properties, stats } = await listProperties(snapshot, {
      ...asked,
      limit: asked.limit + 1,
    })
    const items = properties.map(item => JSON.stringify(item))
    return formatListPage('properties', items, { ...asked, stats })
  })
}

async function searchPropertyList(
  reader: Reader,
  text: string,
  asked: PropertiesAsked,
): Promise<Sent> {
  const index = getSearch(reader)
  if (index === undefined) return replyOk(noProperties, buildSeqHeader(index))
  const { items, stats } = await searchProperties(index, text, { ...asked, limit: asked.limit + 1 })
  const body = formatListPage('properties', items, { ...asked, stats })
  return replyOk(body, buildSeqHeader(index))
}
