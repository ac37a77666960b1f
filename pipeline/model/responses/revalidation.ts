import { z } from 'zod'
import { AdagentsValidation, brandVariants } from '../live/live.ts'
import { ReportedFault } from '../reported-fault.ts'

const text = z.string()
const moment = z.iso.datetime()
const CrawlRequestId = z
  .uuid()
  .describe(
    'ID of the crawl that adds the result to the index; use it to get the state of the crawl',
  )
const { status_code, response_bytes, resolved_url, discovery_method, manager_domain } =
  AdagentsValidation.shape

export const PublisherRevalidated = z
  .object({
    domain: text.describe('Requested domain, in its normal form'),
    adagents_valid: z.boolean().describe('Whether its file exists and has no errors'),
    checked_at: moment.describe('Time at which the file was read'),
    error: text.optional().describe('First fault that makes it invalid'),
    issues: z
      .object({
        errors: z.array(ReportedFault).describe('Faults that make it invalid'),
        warnings: z.array(ReportedFault).describe('Faults that affect only a part of it'),
      })
      .optional()
      .describe('All faults; absent if there are none'),
    properties_count: z.int().optional().describe('Number of properties that a valid file lists'),
    authorized_agents_count: z
      .int()
      .optional()
      .describe('Number of agents that a valid file names'),
    status_code,
    response_bytes,
    resolved_url,
    discovery_method,
    manager_domain,
    crawl_request_id: CrawlRequestId,
  })
  .meta({ id: 'PublisherRevalidated', description: 'The verdict on a file that was read just now' })

const source = text
  .nullable()
  .describe('Source that describes the brand, such as `brand_json`; null if there is none')

export const BrandForceCrawled = z
  .object({
    domain: text.describe('Requested domain, in its normal form'),
    previous_source: source,
    new_source: source,
    previous_source_type: source,
    new_source_type: source,
    promoted: z.boolean().describe('Whether its own file now describes it, and did not before'),
    brand_json_found: z.boolean().describe('Whether it has a brand.json that can be read'),
    live_variant: z
      .enum(brandVariants)
      .nullable()
      .describe('Form of that file; null if there is none'),
    has_manifest: z.boolean().describe('Whether logos, colors or similar facts are known'),
    checked_at: moment.describe('Time at which the file was read'),
    crawl_request_id: CrawlRequestId,
  })
  .meta({ id: 'BrandForceCrawled', description: 'A brand before and after its file was read' })
