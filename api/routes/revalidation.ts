import { z } from 'zod'
import { toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { BrandResolution } from '../../pipeline/model/responses/index.ts'
import {
  BrandForceCrawled,
  PublisherRevalidated,
} from '../../pipeline/model/responses/revalidation.ts'
import { findBrand } from '../../pipeline/read/lookups/resolutions.ts'
import { requireAdmin } from '../auth/organization-access.ts'
import { crawlLimits } from '../limits/crawl-quota.ts'
import { PublicDomain } from '../live/public-host.ts'
import { resolveLiveBrand } from '../live/resolve-live-brand.ts'
import { defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { replyOk } from '../responses/reply.ts'
import { submitCrawlRequest } from './crawl.ts'
import { checkAdagentsNow } from './validation.ts'

const declared = {
  method: 'POST',
  group: 'Agent Discovery',
  access: 'bearer',
  writes: true,
  cache: 'none',
  limits: crawlLimits,
  params: z.object({ domain: PublicDomain }),
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
} as const

const crawled =
  'Reads the file now for this response, and starts a crawl that reads it again and updates the registry. For registry admins. Counts as a crawl request.'

export const revalidatePublisher = defineOperation({
  ...declared,
  id: 'revalidatePublisher',
  path: '/api/registry/publisher/:domain/adagents/revalidate',
  summary: 'Revalidate a publisher’s adagents.json',
  description: crawled,
  query: z.object({
    force: z
      .enum(['true', 'false'])
      .default('false')
      .describe(
        '`true` requests the file again even within five minutes of another request for the domain',
      ),
  }),
  reply: { 200: PublisherRevalidated },
  handle: async ({ params, query, principal, caller, services }) => {
    requireAdmin(principal)
    const domain = params.domain as Domain
    const isForced = query.force === 'true'
    const taken = await submitCrawlRequest('domain', 'domain', domain, principal, services, {
      isForced,
    })
    const options = { agents: false, caller: caller(), mustBeNew: true }
    const { answer } = await checkAdagentsNow(domain, options, services)
    const { validation, counts } = answer
    const { valid, errors, warnings, status_code, response_bytes, resolved_url } = validation
    const { discovery_method, manager_domain } = validation
    const body = {
      domain,
      adagents_valid: valid,
      checked_at: toIso(services.clock.now()),
      ...(errors[0] && { error: errors[0].message }),
      ...(errors.length + warnings.length > 0 && { issues: { errors, warnings } }),
      ...(valid && {
        properties_count: counts.property_count,
        authorized_agents_count: counts.agent_count,
      }),
      ...(status_code !== undefined && { status_code }),
      ...(response_bytes !== undefined && { response_bytes }),
      ...(resolved_url !== undefined && { resolved_url }),
      discovery_method,
      ...(manager_domain !== undefined && { manager_domain }),
      crawl_request_id: taken.id,
    }
    return replyOk(body, taken.headers)
  },
})

export const forceBrandCrawl = defineOperation({
  ...declared,
  id: 'forceBrandCrawl',
  path: '/api/registry/brand/:domain/force-crawl',
  summary: 'Read a domain’s brand.json again, and show what it changes',
  description: crawled,
  reply: { 200: BrandForceCrawled },
  handle: async ({ params, principal, caller, services }) => {
    requireAdmin(principal)
    const domain = params.domain as Domain
    const before = readStored(domain, services)
    const taken = await submitCrawlRequest('brand', 'domain', domain, principal, services)
    const { answer: live } = await resolveLiveBrand(domain, caller(), services)
    const after = live.resolution ?? before
    const [previous_source, new_source] = [before?.source ?? null, after?.source ?? null]
    const body = {
      domain,
      previous_source,
      new_source,
      previous_source_type: previous_source,
      new_source_type: new_source,
      promoted: new_source === 'brand_json' && previous_source !== 'brand_json',
      brand_json_found: live.resolution !== null,
      live_variant: live.resolution === null ? null : live.variant,
      has_manifest: after?.brand_manifest !== undefined,
      checked_at: toIso(services.clock.now()),
      crawl_request_id: taken.id,
    }
    return replyOk(body, taken.headers)
  },
})

function readStored(domain: Domain, { reader }: Services): BrandResolution | undefined {
  const stored = findBrand(reader, domain)
  return stored && (JSON.parse(stored.body.toString()) as BrandResolution)
}
