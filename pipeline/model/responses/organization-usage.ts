import { z } from 'zod'
import { tierNames } from '../../core/tiers.ts'

/** Everything that a member has only so much of, by its name in answers. */
export const usageNames = [
  'saves_per_hour',
  'saves_per_organization_hour',
  'saves_per_organization_day',
  'crawl_requests_per_hour',
  'storyboard_runs_per_hour',
  'storyboard_steps_per_hour',
  'receiver_questions_per_hour',
  'subscriptions',
  'pending_invitations',
  'agents',
  'api_keys',
  'people',
] as const
export type UsageName = (typeof usageNames)[number]

const count = z.number().int().nonnegative().nullable()

const LimitUse = z.object({
  name: z.enum(usageNames).describe('Stable name of the limit, for programs'),
  text: z.string().describe('What the limit counts'),
  counted_for: z
    .enum(['caller', 'organization'])
    .describe('Whether uses are counted only for you or for the whole organization'),
  max: count.describe('Highest allowed number; null if there is no limit'),
  window_seconds: count.describe(
    'Length of the window in seconds; null for items that are kept until they are removed',
  ),
  used: count.describe('Number of uses in the window, or of items that are kept; null if unknown'),
  remaining: count.describe(
    'Number of uses or items that are left; null if there is no limit, or if the use is unknown',
  ),
  resets_at: z
    .string()
    .nullable()
    .describe(
      'Time at which the window ends, or the oldest use in it no longer counts; null while nothing is used',
    ),
})

export const OrganizationUsage = z
  .object({
    organization: z
      .object({
        id: z
          .string()
          .describe(
            'Permanent ID of the organization, for the parameter `org` of other operations',
          ),
        name: z.string().describe('Public name of the organization'),
        membership_tier: z
          .enum(tierNames)
          .nullable()
          .describe('Membership tier of the organization, which billing sets; null if it has none'),
        has_api_access: z
          .boolean()
          .describe(
            'Whether the tier lets the organization publish agents and see what members share with each other',
          ),
      })
      .describe('Organization that the usage belongs to'),
    is_complete: z
      .boolean()
      .describe('Whether all counters could be read; if false, some `used` are null'),
    limits: z.array(LimitUse).describe('Limits of the organization, each with its use'),
  })
  .meta({
    id: 'OrganizationUsage',
    description: 'An organization’s usage and limits',
  })
export type OrganizationUsage = z.infer<typeof OrganizationUsage>
