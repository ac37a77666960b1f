import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isAdmin } from '../../pipeline/core/roles.ts'
import { crawlRequestStatus, findCrawlRequest } from '../../pipeline/index/points/crawl-requests.ts'
import {
  CrawlAccepted,
  CrawlRequestStatus,
  type CrawlScope,
  ManagerRevalidationAccepted,
} from '../../pipeline/model/crawl-request.ts'
import type { Principal } from '../auth.ts'
import { operation } from '../operation.ts'
import { PublicDomain, requirePublic } from '../public-host.ts'
import type { CrawlPlace } from '../quota.ts'
import { ok, refused } from '../reply.ts'
import type { Services } from '../services.ts'
import { actsFor } from '../standing.ts'
import { doneOrRefuse } from '../submitted.ts'

const limits =
  'Once a domain in five minutes, thirty an hour by one caller, of all crawls that may be asked for together.'
const errors = [
  'invalid_request',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'unavailable',
] as const

export const requestCrawl = operation({
  id: 'requestCrawl',
  method: 'POST',
  path: '/api/registry/crawl-request',
  group: 'Agent Discovery',
  summary: 'Ask for a domain to be crawled again soon',
  description:
    'Both files of the domain and those they point to are fetched. The crawl is asynchronous: ask ' +
    `for its status by \`crawl_request_id\`. ${limits}`,
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({ domain: PublicDomain }),
  reply: { 202: CrawlAccepted },
  errors,
  handle: async ({ body: { domain }, principal, services }) => {
    const { id, headers } = await takeRequest('domain', 'domain', domain, principal, services)
    const body = { message: 'Crawl request accepted', domain, crawl_request_id: id }
    return { status: 202, body, headers }
  },
})

export const requestBrandCrawl = operation({
  id: 'requestBrandCrawl',
  method: 'POST',
  path: '/api/registry/brand-crawl-request',
  group: 'Agent Discovery',
  summary: 'Ask for the brand.json of a domain to be crawled again soon',
  description: `The same for one file and those it points to. ${limits}`,
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({ domain: PublicDomain }),
  reply: { 202: CrawlAccepted },
  errors,
  handle: async ({ body: { domain }, principal, services }) => {
    const { id, headers } = await takeRequest('brand', 'domain', domain, principal, services)
    const body = { message: 'Brand crawl request accepted', domain, crawl_request_id: id }
    return { status: 202, body, headers }
  },
})

export const requestManagerRevalidation = operation({
  id: 'requestManagerRevalidation',
  method: 'POST',
  path: '/api/registry/manager-revalidation-request',
  group: 'Agent Discovery',
  summary: 'Ask for the adagents.json that a manager keeps for others to be crawled again soon',
  description:
    'What it changes is derived again for every publisher whose answer is read from it; ' +
    `\`publishers_enqueued\` is how many those are. ${limits}`,
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({ manager_domain: PublicDomain }),
  reply: { 202: ManagerRevalidationAccepted },
  errors,
  handle: async ({ body: { manager_domain }, principal, services }) => {
    const taken = await takeRequest(
      'manager',
      'manager_domain',
      manager_domain,
      principal,
      services,
    )
    const { id, headers } = taken
    const body = {
      message: 'Manager re-validation enqueued',
      manager_domain,
      publishers_enqueued: findCrawlRequest(services.reader, id)?.publishers ?? 0,
      crawl_request_id: id,
    }
    return { status: 202, body, headers }
  },
})

export const readCrawlRequest = operation({
  id: 'getCrawlRequest',
  method: 'GET',
  path: '/api/registry/crawl-request/:id',
  group: 'Agent Discovery',
  summary: 'How far a crawl that was asked for is',
  description:
    'Shown to callers of the organization that asked, and to admins. `completed`, `invalid` and `failed` are final: ' +
    'every lookup of the domain shows what was found then.',
  access: 'bearer',
  cache: 'private',
  params: z.object({ id: z.uuid().toLowerCase() }),
  reply: { 200: CrawlRequestStatus },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { id }, principal, services: { reader } }) => {
    const request = findCrawlRequest(reader, id)
    const isTheirs =
      isAdmin(principal.roles) ||
      request?.requested_by === principal.id ||
      (request?.org_id !== undefined &&
        request.org_id !== null &&
        actsFor(principal, request.org_id))
    return request && isTheirs
      ? ok(crawlRequestStatus(request, reader.now()))
      : refused('not_found', 'no crawl was asked for under this id', {})
  },
})

/** Looks the name up, counts the request and hands it in; one that is not admitted costs nothing. */
async function takeRequest(
  scope: CrawlScope,
  field: string,
  domain: Domain,
  principal: Principal,
  services: Services,
) {
  await requirePublic(field, domain, services)
  const place: CrawlPlace = {
    id: randomUUID(),
    place: scope === 'manager' ? `manager:${domain}` : domain,
    user: principal.id,
  }
  const headers = await services.quota.reserve(place)
  try {
    const answer = await services.desk.submit({
      op: 'crawl.request',
      ...{ crawl_request_id: place.id, scope, domain },
      requested_by: principal.id,
      ...(principal.org_id !== undefined && { org_id: principal.org_id }),
    })
    doneOrRefuse(answer)
  } catch (error) {
    await services.quota.release(place)
    throw error
  }
  return { id: place.id, headers }
}
