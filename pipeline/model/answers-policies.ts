import { z } from 'zod'
import { enforcements, policyCategories } from './policy.ts'

const text = z.string()
const texts = z.array(text)
const count = z.int().nonnegative()
const moment = z.iso.datetime()

const summary = {
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
  source_type: z.enum(['registry', 'community']),
  review_status: z.enum(['pending', 'approved']),
  created_at: moment,
  updated_at: moment,
}
export const PolicySummary = z
  .looseObject(summary)
  .meta({ id: 'PolicySummary', description: 'A policy without its text' })
export type PolicySummary = z.infer<typeof PolicySummary>

const exemplars = z.array(z.looseObject({ scenario: text, explanation: text })).optional()
export const Policy = z
  .looseObject({
    ...summary,
    policy: text,
    guidance: text.nullable(),
    exemplars: z.looseObject({ pass: exemplars, fail: exemplars }).nullable(),
    ext: z.record(text, z.unknown()).nullable(),
  })
  .meta({ id: 'Policy', description: 'A law or a standard that agents refer to' })
export type Policy = z.infer<typeof Policy>

export const PolicyStats = z.object({ total: count, regulation: count, standard: count })
export type PolicyStats = z.infer<typeof PolicyStats>

export const PolicyList = z
  .looseObject({
    policies: z.array(PolicySummary),
    /** Of all that fit, not of the page. */
    stats: PolicyStats,
  })
  .meta({ id: 'PolicyList', description: 'A page of the approved policies, by category and name' })

export const PoliciesResolved = z
  .looseObject({
    results: z.record(text, Policy.nullable()),
    /** Ids that found no place in the answer: ask for them again. */
    omitted: texts.optional(),
  })
  .meta({ id: 'PoliciesResolved', description: 'Policies by id; null where none has it' })

export const PolicyHistory = z
  .looseObject({
    policy_id: text,
    total: count,
    revisions: z.array(
      z.looseObject({
        revision_number: count,
        editor_name: text,
        edit_summary: text,
        is_rollback: z.boolean(),
        rolled_back_to: count.optional(),
        created_at: moment,
      }),
    ),
  })
  .meta({ id: 'PolicyHistory', description: 'How a policy was edited after it was made' })

export const PolicySaved = z
  .looseObject({
    success: z.literal(true),
    message: text,
    policy_id: text,
    /** Null of a policy that is new. */
    revision_number: count.nullable(),
  })
  .meta({ id: 'PolicySaved', description: 'A policy was saved' })
