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
    domain: text.describe('Requested domain, normalized'),
    adagents_valid: z.boolean().describe('Whether the publisher’s file exists and has no errors'),
    checked_at: moment.describe('Time at which the file was read'),
    error: text
      .optional()
      .describe('First issue that makes the file invalid; absent if the file is valid'),
    issues: z
      .object({
        errors: z.array(ReportedFault).describe('Issues that make the file invalid'),
        warnings: z.array(ReportedFault).describe('Issues that affect only part of the file'),
      })
      .optional()
      .describe('All issues; absent if there are none'),
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
  .meta({
    id: 'PublisherRevalidated',
    description: 'Result of checking a file that was read just now',
  })

const previous = text
  .nullable()
  .describe('Previous source of the brand, such as `community`; null if there was none')
const current = text
  .nullable()
  .describe('Current source of the brand, such as `brand_json`; null if there is none')

export const BrandForceCrawled = z
  .object({
    domain: text.describe('Requested domain, normalized'),
    previous_source: previous,
    new_source: current,
    previous_source_type: previous,
    new_source_type: current,
    promoted: z
      .boolean()
      .describe('Whether the brand’s own file describes it now, and did not before'),
    brand_json_found: z.boolean().describe('Whether the domain has a brand.json that can be read'),
    live_variant: z
      .enum(brandVariants)
      .nullable()
      .describe('Form of the brand.json; null if there is none'),
    has_manifest: z.boolean().describe('Whether logos, colors or similar facts are known'),
    checked_at: moment.describe('Time at which the file was read'),
    crawl_request_id: CrawlRequestId,
  })
  .meta({ id: 'BrandForceCrawled', description: 'A brand before and after its file was read' })
