import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isAdmin } from '../../pipeline/core/roles.ts'
import {
  CrawlAccepted,
  CrawlRequestStatus,
  type CrawlScope,
  ManagerRevalidationAccepted,
} from '../../pipeline/model/crawl-request.ts'
import {
  crawlRequestStatus,
  findCrawlRequest,
  type StoredCrawlRequest,
} from '../../pipeline/read/lookups/crawl-requests.ts'
import { findOwnMembership, isInOrganization, mayEdit } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'
import { type CountedCrawl, crawlLimits } from '../limits/crawl-quota.ts'
import { toLimitedUser } from '../limits/limited-user.ts'
import { PublicDomain, refuseClosed } from '../live/public-host.ts'
import { defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { unwrapAnswer } from '../operation/submission-result.ts'
import { replyOk, replyRefused, type Sent } from '../responses/reply.ts'

const counting =
  'All kinds of crawl requests count toward the same limits. If your organization has just requested the same crawl, the 429 has its `crawl_request_id`.'
/** Asks for a crawl. */
const shared = {
  method: 'POST',
  group: 'Agent Discovery',
  access: 'bearer',
  writes: true,
  // Whoever belongs to no organization may request a crawl, so viewers may, too.
  isPersonal: true,
  cache: 'none',
  limits: crawlLimits,
  responseHeaders: ['Location'],
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited', 'unavailable'],
} as const

export const requestCrawl = defineOperation({
  ...shared,
  id: 'requestCrawl',
  path: '/api/registry/crawl-request',
  summary: 'Request a crawl of a domain',
  description:
    'Fetches the domain’s adagents.json and brand.json, and the files they point to. A domain that does not resolve, or ' +
    'resolves to a private network, is rejected; if the DNS lookup takes more than a second, the request is ' +
    'accepted, and the domain is resolved when it is crawled. The crawl is asynchronous: get its status ' +
    `with \`crawl_request_id\`. ${counting}`,
  body: z.object({ domain: PublicDomain }),
  reply: { 202: CrawlAccepted },
  handle: async ({ body: { domain }, principal, services }) => {
    const taken = await submitCrawlRequest('domain', 'domain', domain, principal, services)
    return replyAccepted(taken, { message: 'Crawl request accepted', domain })
  },
})

export const requestBrandCrawl = defineOperation({
  ...shared,
  id: 'requestBrandCrawl',
  path: '/api/registry/brand-crawl-request',
  summary: 'Request a crawl of a domain’s brand.json',
  description:
    'Works like a crawl of the domain, but reads only its brand.json and the files that it points to. ' +
    `${counting}`,
  body: z.object({ domain: PublicDomain }),
  reply: { 202: CrawlAccepted },
  handle: async ({ body: { domain }, principal, services }) => {
    const taken = await submitCrawlRequest('brand', 'domain', domain, principal, services)
    return replyAccepted(taken, { message: 'Brand crawl request accepted', domain })
  },
})

export const requestManagerRevalidation = defineOperation({
  ...shared,
  id: 'requestManagerRevalidation',
  path: '/api/registry/manager-revalidation-request',
  summary: 'Request a crawl of a manager’s adagents.json',
  description:
    'Reads the file again and recomputes the results for all publishers in it; `publishers_enqueued` is ' +
    `their number. ${counting}`,
  body: z.object({
    manager_domain: PublicDomain.describe('Domain whose file manages other publishers'),
  }),
  reply: { 202: ManagerRevalidationAccepted },
  handle: async ({ body: { manager_domain }, principal, services }) => {
    const taken = await submitCrawlRequest(
      'manager',
      'manager_domain',
      manager_domain,
      principal,
      services,
    )
    return replyAccepted(taken, {
      message: 'Manager re-validation enqueued',
      manager_domain,
      publishers_enqueued: findCrawlRequest(services.reader, taken.id)?.publishers ?? 0,
    })
  },
})

export const readCrawlRequest = defineOperation({
  id: 'getCrawlRequest',
  method: 'GET',
  path: '/api/registry/crawl-request/:id',
  group: 'Agent Discovery',
  summary: 'Get a crawl request’s state',
  description:
    'Only admins and the organization that requested the crawl can see it. `completed`, `invalid` and `failed` are final: ' +
    'from then on every lookup of the domain shows the result.',
  access: 'bearer',
  cache: 'private',
  params: z.object({
    id: z.uuid().toLowerCase().describe('The crawl request’s `crawl_request_id`'),
  }),
  reply: { 200: CrawlRequestStatus },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { id }, principal, services: { reader } }) => {
    const request = findCrawlRequest(reader, id)
    return request && maySee(principal, request)
      ? replyOk(crawlRequestStatus(request, reader.now()))
      : replyRefused('not_found', 'there is no crawl request with this ID', {})
  },
})

/** Tells whether a caller may see a request: its organization or the caller has made it. */
function maySee(principal: Principal, { requested_by, org_id }: StoredCrawlRequest): boolean {
  const isTheirs = org_id !== null && isInOrganization(principal, org_id)
  return isTheirs || requested_by === principal.id || isAdmin(principal.roles)
}

interface TakenRequest {
  id: string
  headers: Readonly<Record<string, string>>
}

/** Replies that a request was accepted, and where its state is. */
function replyAccepted({ id, headers }: TakenRequest, body: object): Sent {
  return {
    status: 202,
    body: { ...body, crawl_request_id: id },
    headers: { ...headers, location: `/api/registry/crawl-request/${id}` },
  }
}

/**
 * Requests a crawl: refuses a name that is not public, counts the request and submits it. A request that the
 * writer refuses is not counted. `field` is the name of the parameter with the domain, for refusals.
 */
export async function submitCrawlRequest(
  scope: CrawlScope,
  field: string,
  domain: Domain,
  principal: Principal,
  services: Services,
  { isForced = false } = {},
) {
  await refuseClosed(field, domain, services)
  const own = findOwnMembership(principal)
  const id = randomUUID()
  const counted: CountedCrawl = {
    id,
    // A forced request gets a target of its own, so it only counts for its user.
    target: isForced ? `forced:${id}` : scope === 'manager' ? `manager:${domain}` : domain,
    user: toLimitedUser(principal),
  }
  const headers = await services.quota.reserve(counted, pending => {
    const request = findCrawlRequest(services.reader, pending)
    return request !== undefined && maySee(principal, request)
  })
  try {
    const answer = await services.writer.submit({
      op: 'crawl.request',
      crawl_request_id: id,
      scope,
      domain,
      requested_by: principal.id,
      ...(own && mayEdit(own) && { org_id: own.org_id }),
    })
    unwrapAnswer(answer)
  } catch (error) {
    await services.quota.release(counted)
    throw error
  }
  return { id, headers }
}
