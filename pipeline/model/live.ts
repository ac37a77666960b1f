import { z } from 'zod'
import type { BrandResolution } from './answers.ts'
import { type LiveBrandFailure, ReportedFault } from './reported-fault.ts'

const text = z.string()
const freely = z.record(text, z.unknown())

export const discoveryMethods = [
  'direct',
  'authoritative_location',
  'ads_txt_managerdomain',
] as const

/** An adagents.json as it was found a moment ago, or as it was proposed. */
export const AdagentsValidation = z
  .looseObject({
    valid: z.boolean(),
    errors: z.array(ReportedFault),
    warnings: z.array(ReportedFault),
    domain: text,
    url: text,
    status_code: z.int().optional(),
    response_bytes: z.int().optional(),
    resolved_url: text.optional(),
    raw_data: freely.optional(),
    raw_data_truncated: z.boolean().optional(),
    discovery_method: z.enum(discoveryMethods),
    manager_domain: text.optional(),
  })
  .meta({ id: 'AdagentsValidation', description: 'Whether an adagents.json is in order' })
export type AdagentsValidation = z.infer<typeof AdagentsValidation>

export const AgentCheck = z
  .looseObject({
    agent_url: text,
    valid: z.boolean(),
    errors: z.array(text),
    status_code: z.int().optional(),
    response_time_ms: z.int().optional(),
    card_data: freely.optional(),
    card_endpoint: text.optional(),
    oauth_required: z.boolean().optional(),
  })
  .meta({ id: 'AgentCheck', description: 'Whether an agent of the file can be reached' })
export type AgentCheck = z.infer<typeof AgentCheck>

const count = z.int().nonnegative()

export const AdagentsCounts = z.object({
  agent_count: count,
  property_count: count,
  property_type_counts: z.record(text, count),
  tag_count: count,
})
export type AdagentsCounts = z.infer<typeof AdagentsCounts>

/** Forms of a brand.json, as a caller is told them. */
export const brandVariants = [
  'authoritative_location',
  'house_redirect',
  'brand_agent',
  'house_portfolio',
  'brand_canonical',
] as const

/** Since when a house has been seen to name a brand that gives no time itself. */
export const SeenReference = z.object({ domain: text, brand_id: text, first_seen_at: text })
export type SeenReference = z.infer<typeof SeenReference>

/** What a crawler reports of the brand of a domain. */
export type LiveBrand =
  | {
      /** Which brand it is, by the rules. */
      resolution: BrandResolution
      url: string
      variant: (typeof brandVariants)[number]
      /** The domain's own file as written; cut when it is long. */
      data: Record<string, unknown>
      data_truncated: boolean
      warnings: ReportedFault[]
    }
  | { resolution: null; failure: LiveBrandFailure }

/** What a crawler reports of the adagents.json of a domain. */
export interface AdagentsReport {
  /** Whether the file was there. */
  found: boolean
  validation: AdagentsValidation
  counts: AdagentsCounts
  agent_cards?: AgentCheck[]
  /** Agents that were not asked, because there are so many. */
  agents_unchecked?: number
}
