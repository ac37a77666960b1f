import { z } from 'zod'
import { AdagentsValidation, brandVariants } from '../live/live.ts'
import { ReportedFault } from '../reported-fault.ts'

const text = z.string()
const moment = z.iso.datetime()
const CrawlRequestId = z
  .uuid()
  .describe('Crawl that adds what was found to the index; use this ID to get its state')
const { status_code, response_bytes, resolved_url, discovery_method, manager_domain } =
  AdagentsValidation.shape

export const PublisherRevalidated = z
  .object({
    domain: text.describe('Requested domain, in its normal form'),
    adagents_valid: z.boolean().describe('Whether its file is there and nothing in it is an error'),
    checked_at: moment.describe('Time at which the file was read'),
    error: text.optional().describe('First fault because of which it is not valid'),
    issues: z
      .object({
        errors: z.array(ReportedFault).describe('Faults because of which it is not valid'),
        warnings: z.array(ReportedFault).describe('Faults that lose only a part of it'),
      })
      .optional()
      .describe('All faults; absent if there are none'),
    properties_count: z.int().optional().describe('How many properties a valid file lists'),
    authorized_agents_count: z.int().optional().describe('How many agents a valid file names'),
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
    live_variant: z.enum(brandVariants).nullable().describe('Form of that file; null without one'),
    has_manifest: z.boolean().describe('Whether logos, colors or other looks are known'),
    checked_at: moment.describe('Time at which the file was read'),
    crawl_request_id: CrawlRequestId,
  })
  .meta({ id: 'BrandForceCrawled', description: 'A brand before and after its file was read' })
