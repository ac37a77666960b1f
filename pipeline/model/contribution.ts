import { z } from 'zod'
import { Identifier } from './documents/index.ts'
import { Editor } from './save.ts'

/** Origins of contributed identifiers. */
export const provenances = [
  'agency_allowlist',
  'publisher_declaration',
  'impression_log',
  'ssp_inventory',
  'deal_history',
  'crawl',
  'data_partner',
  'member_assertion',
] as const

/** Subjects of disputes about the catalog. */
export const disputeTypes = [
  'identifier_link',
  'classification',
  'property_data',
  'false_merge',
] as const

export const Contributed = z.object({
  /** Rid of the property to create, unless the identifier has one already. */
  property_rid: z.uuid(),
  identifier: Identifier,
})
export type Contributed = z.infer<typeof Contributed>

/** Operations on the catalog besides merges. */
export const catalogOperations = [
  z.object({
    op: z.literal('property.contribute'),
    contribution_id: z.uuid(),
    contributor: Editor,
    provenance: z.enum(provenances),
    contributed: z.array(Contributed).min(1).max(10_000),
    /** The commit in which they were looked up. */
    since: z.int().nonnegative(),
  }),
  z.object({
    op: z.literal('dispute.file'),
    review_id: z.uuid(),
    reporter: Editor,
    dispute_type: z.enum(disputeTypes),
    subject_type: z.string(),
    subject_value: z.string(),
    claim: z.string(),
    evidence: z.string().optional(),
    /** The contributed property that is not shown until this is decided. */
    suspends: z.uuid().optional(),
  }),
] as const

/** Payload of a dispute review. */
export interface Dispute {
  dispute_type: (typeof disputeTypes)[number]
  subject_type: string
  subject_value: string
  claim: string
  evidence?: string | undefined
}
