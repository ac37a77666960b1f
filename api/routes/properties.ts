import { z } from 'zod'
import { Domain } from '../../pipeline/core/domain.ts'
import { findProperties, resolveProperties } from '../../pipeline/index/points/properties.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import { firstPageOf } from '../../pipeline/index/queries/listed.ts'
import {
  listProperties,
  noProperties,
  type PropertiesAsked,
  propertiesListed,
  searchProperties,
} from '../../pipeline/index/queries/properties.ts'
import type { Reader, Snapshot } from '../../pipeline/index/reader.ts'
import { PropertyItem, PropertyResolution, PropertyStats } from '../../pipeline/model/answers.ts'
import { BulkDomains, bulkOf, leniently } from '../bulk.ts'
import { freshIgnored } from '../fields.ts'
import { fitting, fittingJson, LIST_BYTES, listQuery, searchOf, seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok, okStored, refused, type Sent } from '../reply.ts'
import type { Services } from '../services.ts'

export const resolveProperty = operation({
  id: 'resolveProperty',
  method: 'GET',
  path: '/api/properties/resolve',
  group: 'Property Resolution',
  summary: 'Resolve a publisher domain to its properties and authorized agents',
  access: 'public',
  cache: 'revalidate',
  query: z.object({ domain: Domain, fresh: freshIgnored }),
  reply: { 200: PropertyResolution },
  errors: ['invalid_request', 'not_found'],
  handle: ({ query: { domain }, services }) => {
    const found = findProperties(services.reader, domain)
    return found ? okStored(found) : unknownPublisher(services, domain)
  },
})

function unknownPublisher({ demand, reader }: Services, domain: string): Sent {
  const freshness = freshnessOf(reader, 'adagents.json', domain)
  if (freshness.state === 'never_crawled') demand.add(domain)
  return refused('not_found', `no properties are known for ${domain}`, { domain, freshness })
}

export const resolvePropertiesBulk = operation({
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
  reply: { 200: bulkOf(PropertyResolution) },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited'],
  handle: ({ body, services: { config, reader } }) =>
    ok(resolveProperties(reader, leniently(body.domains, config.LIMITS.bulkResolveDomains))),
})

const propertyListQuery = listQuery(['adagents_json', 'community', 'enriched'], 100)

export const listRegisteredProperties = operation({
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
  query: propertyListQuery,
  reply: { 200: z.looseObject({ properties: z.array(PropertyItem), stats: PropertyStats }) },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query, services: { reader } }) => {
    if (query.search) return searchedProperties(reader, query.search, query)
    const { lists, snapshot } = reader
    if (lists !== undefined) return ok(propertiesListed(lists, query, LIST_BYTES), seqHeader(lists))
    const body = snapshot ? await propertiesOfSnapshot(snapshot, query) : noProperties
    return ok(body, seqHeader(snapshot))
  },
})

function propertiesOfSnapshot(snapshot: Snapshot, asked: PropertiesAsked): Promise<object> {
  return firstPageOf(snapshot, 'properties', asked, async () => {
    const { properties, stats } = await listProperties(snapshot, asked)
    return { ...fitting('properties', properties), stats }
  })
}

async function searchedProperties(
  reader: Reader,
  text: string,
  query: z.output<typeof propertyListQuery>,
): Promise<Sent> {
  const index = searchOf(reader)
  if (index === undefined) return ok(noProperties, seqHeader(index))
  const { items, stats } = await searchProperties(index, text, query)
  const body = `{${fittingJson('properties', items)},"stats":${JSON.stringify(stats)}}`
  return ok(body, seqHeader(index))
}
