import { z } from 'zod'
import {
  claimingOf,
  findDomainLookup,
  findPublisher,
  unknownPublisher,
} from '../../pipeline/index/points/lookups.ts'
import { publisherPage, withDeclared } from '../../pipeline/index/points/publisher-pages.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import { placementsOf } from '../../pipeline/index/queries/publishers.ts'
import { statsOf } from '../../pipeline/index/queries/stats.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { DomainLookup, PublisherLookup, RegistryStats } from '../../pipeline/model/answers.ts'
import { Room } from '../bounds.ts'
import { PastedDomain, whole } from '../fields.ts'
import { seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok, okStored, type Sent } from '../reply.ts'
import type { Services } from '../services.ts'

const USUAL_PAGE = 200
/** What the two lists of a page may come to, beside everything else that it shows. */
const PAGE_BYTES = 150 * 1024

export const lookUpPublisher = operation({
  id: 'lookUpPublisher',
  method: 'GET',
  path: '/api/registry/publisher',
  group: 'Lookups & Authorization',
  summary: 'The inventory a domain publishes and the agents it authorizes',
  description:
    'The answer is the same for every caller. A domain that is not known answers 200 with nothing ' +
    'in it; `freshness` says whether its file was ever looked for.',
  access: 'public',
  cache: 'revalidate',
  query: z.object({
    domain: PastedDomain,
    include: z.literal('placements').optional(),
    limit: whole({ min: 0, max: 1_000, default: 0, clamp: true }),
    cursor: z
      .string()
      .regex(/^\d{1,9}$/, 'must be the next_cursor of a page')
      .optional()
      .meta({ description: 'pages through more properties and agents than one answer holds' }),
  }),
  reply: { 200: PublisherLookup },
  errors: ['invalid_request', 'unavailable'],
  handle: ({ query: { domain, include, limit, cursor }, services }) => {
    if (include !== undefined) return publisherWithPlacements(services, domain)
    if (cursor === undefined && limit === 0) return publisherAnswer(services, domain)
    const asked = {
      limit: limit || USUAL_PAGE,
      cursor: Number(cursor ?? 0),
      takeHalf: <Item>(items: readonly Item[]) => new Room(PAGE_BYTES / 2).take(items),
    }
    return ok(publisherPage(services.reader, domain, asked))
  },
})

/** The lookup as it is stored, unless the brand.json of the domain lends it properties. */
function publisherAnswer({ demand, reader }: Services, domain: string): Sent {
  const found = findPublisher(reader, domain)
  if (found?.isStocked) return okStored(found)
  const lookup: PublisherLookup = found
    ? JSON.parse(found.body.toString())
    : unknownPublisher(reader, domain)
  const lent = withDeclared(reader, lookup)
  if (lent) return ok(lent)
  if (found) return okStored(found)
  if (lookup.freshness?.state === 'never_crawled') demand.add(domain)
  return ok(lookup)
}

/** Placements come from the snapshot, so the ETag of the stored answer does not cover them. */
async function publisherWithPlacements(
  { reader, config }: Services,
  domain: string,
): Promise<Sent> {
  const { snapshot } = reader
  const all = snapshot ? await placementsOf(snapshot, domain) : []
  const shown = {
    placements: all.slice(0, config.LIMITS.answerItems),
    ...(all.length > config.LIMITS.answerItems && {
      placements_total: all.length,
      placements_truncated: true,
    }),
  }
  const found = findPublisher(reader, domain, shown)
  const body = found ? found.body : { ...unknownPublisher(reader, domain), ...shown }
  return ok(body, seqHeader(snapshot))
}

export const lookUpDomain = operation({
  id: 'lookUpDomain',
  method: 'GET',
  path: '/api/registry/lookup/domain/:domain',
  group: 'Lookups & Authorization',
  summary: 'Agents authorized for a domain',
  description: 'Superseded by the publisher lookup.',
  access: 'public',
  cache: 'revalidate',
  deprecated: true,
  params: z.object({ domain: PastedDomain }),
  reply: { 200: DomainLookup },
  errors: ['invalid_request'],
  handle: ({ params: { domain }, services: { demand, reader } }) => {
    const headers = {
      deprecation: 'true',
      link: `</api/registry/publisher?domain=${domain}>; rel="successor-version"`,
    }
    const found = findDomainLookup(reader, domain)
    if (found) return okStored(found, headers)
    const empty = emptyLookup(reader, domain)
    if (empty.freshness?.state === 'never_crawled') demand.add(domain)
    return ok(empty, headers)
  },
})

function emptyLookup(reader: Reader, domain: string): DomainLookup {
  return {
    domain,
    authorized_agents: [],
    sales_agents_claiming: claimingOf(reader, domain),
    freshness: freshnessOf(reader, 'adagents.json', domain),
  }
}

export const registryStats = operation({
  id: 'registryStats',
  method: 'GET',
  path: '/api/registry/stats',
  group: 'Agent Discovery',
  summary: 'What the registry holds',
  access: 'public',
  cache: 'list',
  reply: { 200: RegistryStats },
  errors: ['unavailable'],
  handle: async ({ services: { reader } }) => {
    const { snapshot } = reader
    return ok(await statsOf(reader), seqHeader(snapshot))
  },
})
