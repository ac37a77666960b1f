import { z } from 'zod'

/** Kinds of submissions that a person reviews. */
export const reviewKinds = ['policy', 'mirror', 'dispute', 'entry', 'logo', 'brand'] as const
export type ReviewKind = (typeof reviewKinds)[number]
export const reviewStatuses = ['pending', 'approved', 'rejected'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]

/** SHA-256 of the proposal, with which a reviewer confirms the version that was read. */
export const ReviewDigest = z
  .string()
  .toLowerCase()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
export const ReviewNotes = z.string().trim().min(1).max(2_000)

const decision = {
  review_id: z.uuid(),
  digest: ReviewDigest,
  /** Id of the reviewer; `operator` for the command line. */
  reviewer: z.string(),
  notes: ReviewNotes.exactOptional(),
  /** Only reviews of this kind. */
  kind: z.enum(reviewKinds).exactOptional(),
}

export const reviewOperations = [
  z.object({ op: z.literal('review.approve'), ...decision }),
  z.object({ op: z.literal('review.reject'), ...decision, notes: ReviewNotes }),
] as const

/** A review, without its submission. */
export const StoredReview = z.object({
  review_id: z.string(),
  kind: z.enum(reviewKinds),
  /** Subject, by its name among its kind. */
  subject: z.string(),
  submitted_by: z.string(),
  org_id: z.string().nullable(),
  org_name: z.string().nullable(),
  submitted_at: z.string(),
  digest: z.string(),
  status: z.enum(reviewStatuses),
  reviewer: z.string().nullable(),
  notes: z.string().nullable(),
  reviewed_at: z.string().nullable(),
})
export type StoredReview = z.infer<typeof StoredReview>
