import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { CrawlAccepted } from '../../pipeline/model/answers.ts'
import { operation } from '../operation.ts'
import type { CrawlPlace } from '../quota.ts'
import type { Services } from '../services.ts'

/** Names that lead into somebody's own network, or nowhere. */
const PRIVATE =
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa|arpa|invalid|onion|alt)$/
const PUBLIC_END = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/

const CrawlDomain = Domain.refine(
  domain => PUBLIC_END.test(domain) && !PRIVATE.test(domain),
  'must be a domain on the public Internet',
)

export const requestCrawl = operation({
  id: 'requestCrawl',
  method: 'POST',
  path: '/api/registry/crawl-request',
  group: 'Agent Discovery',
  summary: 'Ask for a domain to be crawled again soon',
  description:
    'The crawl is asynchronous; what it changes is seen in the feed. Once a domain in five minutes, ' +
    'thirty an hour by one caller.',
  access: 'bearer',
  cache: 'none',
  body: z.object({ domain: CrawlDomain }),
  reply: { 202: CrawlAccepted },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited', 'unavailable'],
  handle: async ({ body: { domain }, principal, services }) => {
    const place = { id: randomUUID(), domain, user: principal.id }
    await services.quota.reserve(place)
    await admit(services, place, domain)
    const body = { message: 'Crawl request accepted', domain, crawl_request_id: place.id }
    return { status: 202, body }
  },
})

/** Hands the request in; one that is not admitted costs nothing. */
async function admit(services: Services, place: CrawlPlace, domain: Domain): Promise<void> {
  try {
    const answer = await services.desk.submit({
      op: 'crawl.request',
      crawl_request_id: place.id,
      domain,
      requested_by: place.user,
    })
    if ('refused' in answer) refuse('invalid_request', answer.refused)
  } catch (error) {
    await services.quota.release(place)
    throw error
  }
}
