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
    .describe('Who keeps it: the registry itself, which nobody else edits, or members'),
  review_status: z
    .enum(['pending', 'approved'])
    .describe('`pending` until a moderator has looked at a new one'),
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
      explanation: text.describe('Why it passes or fails'),
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
    total: count.describe('Policies that fit the filters, on all pages'),
    regulation: count.describe('How many of them are laws'),
    standard: count.describe('How many of them are standards'),
  })
  .describe('The policies that fit the filters, counted')
export type PolicyStats = z.infer<typeof PolicyStats>

export const PolicyList = z
  .looseObject({
    policies: z.array(PolicySummary).describe('Policies of this page, by category and name'),
    policies_truncated: z
      .boolean()
      .optional()
      .describe('True where the page would be too long and ends early'),
    stats: PolicyStats,
    ...pageEnd,
  })
  .meta({ id: 'PolicyList', description: 'A page of the approved policies, by category and name' })
export type PolicyList = z.infer<typeof PolicyList>

export const PoliciesResolved = z
  .looseObject({
    results: z
      .record(text, Policy.nullable())
      .describe('Policies by the ids that were asked for; null where none has it'),
    omitted: texts
      .optional()
      .describe('Ids that found no place in the answer: ask for them again; absent where all did'),
  })
  .meta({ id: 'PoliciesResolved', description: 'Policies by id; null where none has it' })

export const PolicyHistory = z
  .looseObject({
    policy_id: text.describe(summaryTexts.policy_id),
    total: count.describe('Revisions on all pages, without the one that made the policy'),
    revisions: z
      .array(
        z.looseObject({
          revision_number: RevisionNumber,
          editor_name: text.describe('`system` where the registry edited; else an opaque id'),
          edit_summary: EditSummary,
          is_rollback: IsRollback,
          rolled_back_to: RolledBackTo,
          created_at: z.iso.datetime().describe('Moment of the edit'),
        }),
      )
      .describe('Revisions of this page, newest first'),
    ...pageEnd,
  })
  .meta({ id: 'PolicyHistory', description: 'How a policy was edited after it was made' })

export const PolicySaved = z
  .looseObject({
    success: Success,
    message: text.describe('What was done, in a sentence'),
    policy_id: text.describe(summaryTexts.policy_id),
    revision_number: count
      .nullable()
      .describe('Number of the revision that the save made; null where the policy is new'),
  })
  .meta({ id: 'PolicySaved', description: 'A policy was saved' })
