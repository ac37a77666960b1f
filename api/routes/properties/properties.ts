import { z } from 'zod'
import { PropertyList, PropertyResolution } from '../../../pipeline/model/responses/index.ts'
import { findProperties, resolveProperties } from '../../../pipeline/read/lookups/resolutions.ts'
import { findFileFreshness } from '../../../pipeline/read/lookups/stored.ts'
import { listPublisherKeys, listSellerKeys } from '../../../pipeline/read/lookups/surrogate-keys.ts'
import { propertyList } from '../../../pipeline/read/queries/properties.ts'
import { BulkDomains, describeBulk, parseDomainsLeniently } from '../../inputs/bulk.ts'
import { freshIgnored, PastedDomain } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { findMeantDomain, listMeantDomainKeys } from '../../responses/meant-domain.ts'
import { createListQuery, replyList } from '../../responses/registered-list.ts'
import { replyLent, replyRefused, replyStored, type Sent } from '../../responses/reply.ts'

export const resolveProperty = defineOperation({
  id: 'resolveProperty',
  method: 'GET',
  path: '/api/properties/resolve',
  group: 'Property Resolution',
  summary: 'Resolve a publisher domain to its properties and authorized agents',
  access: 'public',
  cache: 'revalidate',
  dependsOn: ({ query: { domain }, reader }) => [
    ...listSellerKeys(reader, domain),
    ...listMeantDomainKeys(domain, meant => listPublisherKeys(reader, meant)),
  ],
  query: z.object({ domain: PastedDomain, fresh: freshIgnored }),
  reply: { 200: PropertyResolution },
  responseHeaders: ['ETag'],
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
  return replyRefused('not_found', `no properties are known for ${domain}`, {
    domain,
    ...findMeantDomain(domain, meant => findProperties(reader, meant) !== undefined),
    freshness,
  })
}

export const resolvePropertiesBulk = defineOperation({
  id: 'resolvePropertiesBulk',
  method: 'POST',
  path: '/api/properties/resolve/bulk',
  group: 'Property Resolution',
  summary: 'Resolve many publisher domains in one call',
  description:
    'Results are keyed by the lowercase input. An unknown domain is null, without `did_you_mean`.',
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

const propertyListQuery = createListQuery(
  'properties',
  ['adagents_json', 'community', 'enriched'],
  100,
)

export const listRegisteredProperties = defineOperation({
  id: 'listProperties',
  method: 'GET',
  path: '/api/properties/registry',
  group: 'Property Resolution',
  summary: 'List properties',
  description:
    'Returns active properties. `search` matches names, publisher domains and identifiers: exact names come first, then names that start with the text. If nothing contains the text, similar spellings match. `stats` counts all matches, whatever their `source`.',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: propertyListQuery,
  reply: { 200: PropertyList },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: ({ query, services: { reader } }) => replyList(propertyList, query, reader),
})
