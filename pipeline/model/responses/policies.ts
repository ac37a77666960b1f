import { z } from 'zod'
import { enforcements, policyCategories, policyTexts } from '../policy.ts'
import {
  CreatedAt,
  describeFields,
  EditSummary,
  IsRollback,
  pageEnd,
  RevisionNumber,
  RolledBackTo,
  Success,
  UpdatedAt,
} from '../shared-fields.ts'

const text = z.string()
const texts = z.array(text)
const count = z.int().nonnegative()

const described = {
  policy_id: text,
  version: text,
  name: text,
  description: text.nullable(),
  category: z.enum(policyCategories),
  enforcement: z.enum(enforcements),
  jurisdictions: texts,
  region_aliases: z.record(text, texts),
  policy_categories: texts,
  channels: texts.nullable(),
  governance_domains: texts,
  effective_date: text.nullable(),
  sunset_date: text.nullable(),
  source_url: text.nullable(),
  source_name: text.nullable(),
}
const { policy, guidance, exemplars: exemplarsText, ext, ...summaryTexts } = policyTexts

const summary = {
  ...describeFields(described, summaryTexts),
  source_type: z
    .enum(['registry', 'community'])
    .describe('Maintainer of the policy: the registry itself, or members'),
  review_status: z
    .enum(['pending', 'approved'])
    .describe('Status of the policy; `pending` until a moderator has approved a new one'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
export const PolicySummary = z
  .looseObject(summary)
  .meta({ id: 'PolicySummary', description: 'A policy without its text' })
export type PolicySummary = z.infer<typeof PolicySummary>

const exemplars = z
  .array(
    z.looseObject({
      scenario: text.describe('What happens in the example'),
      explanation: text.describe('Why the example passes or fails'),
    }),
  )
  .optional()

export const Policy = z
  .looseObject({
    ...summary,
    policy: text.describe(policy),
    guidance: text.nullable().describe(guidance),
    exemplars: z
      .looseObject({
        pass: exemplars.describe('Examples that follow the policy'),
        fail: exemplars.describe('Examples that break the policy'),
      })
      .nullable()
      .describe(exemplarsText),
    ext: z.record(text, z.unknown()).nullable().describe(ext),
  })
  .meta({ id: 'Policy', description: 'A law or a standard that agents refer to' })
export type Policy = z.infer<typeof Policy>

export const PolicyStats = z
  .object({
    total: count.describe('Number of matching policies on all pages'),
    regulation: count.describe('Number of matching policies that are laws'),
    standard: count.describe('Number of matching policies that are standards'),
  })
  .describe('Counts of the matching policies')
export type PolicyStats = z.infer<typeof PolicyStats>

export const PolicyList = z
  .looseObject({
    policies: z.array(PolicySummary).describe('Policies on this page, by category and name'),
    policies_truncated: z
      .boolean()
      .optional()
      .describe('True if the page was cut because it would be too long'),
    stats: PolicyStats,
    ...pageEnd,
  })
  .meta({ id: 'PolicyList', description: 'A page of approved policies, by category and name' })
export type PolicyList = z.infer<typeof PolicyList>

export const PoliciesResolved = z
  .looseObject({
    results: z
      .record(text, Policy.nullable())
      .describe('Policies by requested ID; null for unknown IDs'),
    omitted: texts
      .optional()
      .describe(
        'IDs whose policies did not fit into the response, to request again; absent if all did',
      ),
  })
  .meta({ id: 'PoliciesResolved', description: 'Policies by ID; null for unknown IDs' })

export const PolicyHistory = z
  .looseObject({
    policy_id: text.describe(summaryTexts.policy_id),
    total: count.describe('Number of revisions on all pages'),
    revisions: z
      .array(
        z.looseObject({
          revision_number: RevisionNumber,
          editor_name: text.describe(
            'Editor of the revision: `system` for the registry itself, otherwise an opaque ID',
          ),
          edit_summary: EditSummary,
          is_rollback: IsRollback,
          rolled_back_to: RolledBackTo,
          created_at: z.iso.datetime().describe('Time of the edit'),
        }),
      )
      .describe('Revisions on this page, newest first'),
    ...pageEnd,
  })
  .meta({ id: 'PolicyHistory', description: 'Edits to a policy, including its creation' })

export const PolicySaved = z
  .looseObject({
    success: Success,
    message: text.describe('What was done, in a sentence'),
    policy_id: text.describe(summaryTexts.policy_id),
    revision_number: count
      .nullable()
      .describe('Number of the revision that the save created; null if the policy is new'),
  })
  .meta({ id: 'PolicySaved', description: 'A policy that was saved' })
