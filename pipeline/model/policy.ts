import { z } from 'zod'
import { stripPii } from '../core/pii.ts'
import { Editor, isStorable } from './save.ts'
import { describeFields } from './shared-fields.ts'

const words = z.array(z.string().trim().min(1).max(100)).max(500)
const orNull = <Shape extends z.ZodType>(shape: Shape) => shape.nullish().transform(v => v ?? null)
const orNone = words.nullish().transform(v => v ?? [])

export const policyCategories = ['regulation', 'standard'] as const
export const enforcements = ['must', 'should', 'may'] as const

export const PolicyId = z
  .string()
  .max(100)
  .regex(
    /^[a-z][a-z0-9_]*$/,
    'must contain only lowercase letters, digits and _, and start with a letter',
  )

const day = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be a day such as 2026-11-20, or a date and time with its zone',
})
const Exemplar = z.looseObject({
  scenario: z.string().min(1).max(5_000).describe('What happens in the example'),
  explanation: z.string().min(1).max(5_000).describe('Why the example passes or fails'),
})
const exemplars = z.array(Exemplar).max(100).optional()
const pass = exemplars.describe('Examples that follow the policy')
const fail = exemplars.describe('Examples that break the policy')

/** Meaning of each field of a policy, in saves and in answers. */
export const policyTexts = {
  policy_id: 'Policy ID: lowercase letters, digits and _, starting with a letter',
  version: 'Version of the policy, as named by its editor',
  name: 'Display name of the policy',
  description: 'Summary of the policy, in a few sentences; null if there is none',
  category: 'A law (`regulation`) or an industry’s own rule (`standard`)',
  enforcement: 'Whether agents `must`, `should` or `may` follow the policy',
  jurisdictions: 'Countries and regions where the policy applies; empty if it applies everywhere',
  region_aliases: 'Names of regions, each with its jurisdictions',
  policy_categories: 'Industries to which the policy applies; empty for all',
  channels: 'Channels to which the policy applies, such as `ctv`; null for all',
  governance_domains:
    'Areas that the policy governs, such as campaigns or creatives; empty for all',
  effective_date:
    'First day on which the policy applies, null if it has always applied; before that day it is informational',
  sunset_date: 'Last day on which the policy applies; null if it has no end',
  source_url: 'URL of the law or standard itself; null if there is none',
  source_name: 'Name of the law or standard itself; null if there is none',
  policy: 'Text of the policy, as agents read it',
  guidance: 'How reviewers apply the policy; null if there is no guidance',
  exemplars: 'Examples that pass and that fail; null if there are none',
  ext: 'Additional data from the policy’s editor; null if there is none',
}

/** Fields of a policy. An absent field is null or an empty list: a save replaces all of it. */
export const policyFields = describeFields(
  {
    policy_id: PolicyId,
    version: z.string().trim().min(1).max(50),
    name: z.string().trim().min(1).max(300),
    description: orNull(z.string().max(5_000)),
    category: z.enum(policyCategories),
    enforcement: z.enum(enforcements),
    jurisdictions: orNone,
    region_aliases: z
      .record(z.string().min(1).max(100), words)
      .nullish()
      .transform(v => v ?? {}),
    policy_categories: orNone,
    channels: orNull(words),
    governance_domains: orNone,
    effective_date: orNull(day),
    sunset_date: orNull(day),
    source_url: orNull(z.url({ protocol: /^https?$/ }).max(2_000)),
    source_name: orNull(z.string().max(300)),
    policy: z.string().trim().min(1).max(50_000),
    guidance: orNull(z.string().max(50_000)),
    exemplars: orNull(z.object({ pass, fail })),
    ext: orNull(z.record(z.string(), z.unknown()).transform(value => stripPii(value))),
  },
  policyTexts,
)
export const PolicyContent = z
  .object(policyFields)
  .refine(value => isStorable(value), 'must be well-formed and not nested too deeply')
export type PolicyContent = z.output<typeof PolicyContent>

/** Operations on policies. */
export const policyOperations = [
  z.object({
    op: z.literal('policy.save'),
    policy: PolicyContent,
    editor: Editor,
    /** Id of the review, if the policy is new. */
    review_id: z.uuid(),
  }),
  /** A policy of the registry itself: members cannot change it afterwards. */
  z.object({ op: z.literal('policy.publish'), policy: PolicyContent }),
] as const

/** A row of the table `policies`. */
export interface PolicyRow extends PolicyContent {
  source_type: 'registry' | 'community'
  review_status: 'pending' | 'approved'
  created_at: string
  updated_at: string
  seq: number
}
