import { z } from 'zod'
import { withoutPersonal } from '../core/personal.ts'
import { Editor, isStorable } from './save.ts'

const words = z.array(z.string().trim().min(1).max(100)).max(500)
const orNull = <Shape extends z.ZodType>(shape: Shape) => shape.nullish().transform(v => v ?? null)
const orNone = words.nullish().transform(v => v ?? [])

export const policyCategories = ['regulation', 'standard'] as const
export const enforcements = ['must', 'should', 'may'] as const

export const PolicyId = z
  .string()
  .max(100)
  .regex(/^[a-z][a-z0-9_]*$/, 'must be lower-case letters, digits and _, a letter first')

const day = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be a day such as 2026-11-20, or a date and time with its zone',
})
const Exemplar = z.looseObject({
  scenario: z.string().min(1).max(5_000),
  explanation: z.string().min(1).max(5_000),
})
const exemplars = z.array(Exemplar).max(100).optional()

/** What is said of a policy. What is left out is null, or an empty list: a save replaces all of it. */
export const policyFields = {
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
  exemplars: orNull(z.object({ pass: exemplars, fail: exemplars })),
  ext: orNull(z.record(z.string(), z.unknown()).transform(value => withoutPersonal(value))),
}
export const PolicyContent = z
  .object(policyFields)
  .refine(value => isStorable(value), 'must be well-formed and not nested deeply')
export type PolicyContent = z.output<typeof PolicyContent>

/** What may be asked about policies. */
export const policyOperations = [
  z.object({
    op: z.literal('policy.save'),
    policy: PolicyContent,
    editor: Editor,
    /** Of the review, should the policy be new. */
    review_id: z.uuid(),
  }),
  /** The registry's own: nobody else changes it from then on. */
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
