import { z } from 'zod'
import { effects, outcomeNames } from '../../core/outcomes.ts'
import { BrandDocument } from '../documents/brand.ts'
import { type LiveBrandFailure, PlacedFault, type ReportedFault } from '../reported-fault.ts'
import type { BrandResolution } from '../responses/index.ts'
import { ManagerDomain } from '../shared-fields.ts'

const text = z.string()
const anyObject = z.record(text, z.unknown())

export const discoveryMethods = [
  'direct',
  'authoritative_location',
  'ads_txt_managerdomain',
] as const

/** Result of checking an adagents.json that was just fetched, or proposed. */
export const AdagentsValidation = z
  .looseObject({
    valid: z.boolean().describe('Whether the file exists and has no errors'),
    errors: z.array(PlacedFault).describe('Issues that make the file invalid'),
    warnings: z.array(PlacedFault).describe('Issues that affect only part of the file'),
    domain: text.describe('Requested domain; `proposed` for a file that is not served'),
    url: text.describe('URL at which the file was requested'),
    status_code: z
      .int()
      .optional()
      .describe('HTTP status of the response; absent if there was none'),
    response_bytes: z
      .int()
      .optional()
      .describe('Size of the file in bytes; absent if there was no response'),
    resolved_url: text
      .optional()
      .describe('URL of the file that was finally read, after redirects and pointers'),
    raw_data: anyObject
      .optional()
      .describe('Content of the file, unchanged; absent if there is no file, or if it is too long'),
    raw_data_truncated: z
      .boolean()
      .optional()
      .describe(
        'True if `raw_data` is left out because it is too long; the file is at `resolved_url`',
      ),
    discovery_method: z
      .enum(discoveryMethods)
      .describe('How the file was found: directly, through a pointer, or through ads.txt'),
    manager_domain: ManagerDomain.optional(),
  })
  .meta({ id: 'AdagentsValidation', description: 'Result of checking an adagents.json' })
export type AdagentsValidation = z.infer<typeof AdagentsValidation>

export const AgentCheck = z
  .looseObject({
    agent_url: text.describe('URL of the agent, as written in the file'),
    valid: z.boolean().describe('Whether the agent responded'),
    errors: z
      .array(text)
      .describe('Why the agent did not respond, one sentence each; empty if it did'),
    status_code: z
      .int()
      .optional()
      .describe('HTTP status of the agent’s response; absent if there was none'),
    response_time_ms: z
      .int()
      .optional()
      .describe('Time until the agent’s response, in milliseconds'),
    card_data: anyObject.optional().describe('Agent card, unchanged; absent if the agent has none'),
    card_endpoint: text.optional().describe('URL of the agent card; absent if the agent has none'),
    oauth_required: z.boolean().optional().describe('True if the agent requires a credential'),
  })
  .meta({ id: 'AgentCheck', description: 'Whether an agent in the file can be reached' })
export type AgentCheck = z.infer<typeof AgentCheck>

const count = z.int().nonnegative()

export const AdagentsCounts = z.object({
  agent_count: count.describe('Number of agents that the file names'),
  property_count: count.describe(
    'Number of properties in the file’s own list, not counting those inside agent entries',
  ),
  property_type_counts: z
    .record(text, count)
    .describe('Number of listed properties of each type, such as `website`'),
  tag_count: count.describe('Number of tags that the file describes'),
})
export type AdagentsCounts = z.infer<typeof AdagentsCounts>

/** Forms of a brand.json in answers. */
export const brandVariants = [
  'authoritative_location',
  'house_redirect',
  'brand_agent',
  'house_portfolio',
  'brand_canonical',
] as const

const instant = z.number().nullable()

/**
 * A brand.json in the index. While the file cannot be fetched, its last content counts for as long as the
 * rules say, also in a live answer.
 */
export const KnownBrandFile = z.object({
  location: text,
  document: BrandDocument,
  /** State of its fetches (`FileState`). */
  state: z.object({
    outcome: z.enum(outcomeNames).nullable(),
    status: z.number().nullable(),
    effect: z.enum(effects).nullable(),
    streak_since: instant,
    attempted_at: instant,
    succeeded_at: instant,
    stale_at: instant,
    ended_at: instant,
    absent_at: instant,
  }),
})
export type KnownBrandFile = z.infer<typeof KnownBrandFile>

/** A crawler's report on the brand of a domain. */
export type LiveBrand =
  | {
      /** Resolution of the brand, by the rules. */
      resolution: BrandResolution
      url: string
      variant: (typeof brandVariants)[number]
      /** The domain's own file as written; cut when it is long. */
      data: Record<string, unknown>
      data_truncated: boolean
      warnings: ReportedFault[]
    }
  | { resolution: null; failure: LiveBrandFailure }

/** A crawler's report on the adagents.json of a domain. */
export interface AdagentsReport {
  /** True if there was a file. */
  found: boolean
  validation: AdagentsValidation
  counts: AdagentsCounts
  agent_cards?: AgentCheck[]
  /** Agents that were not checked, because there are too many. */
  agents_unchecked?: number
}
