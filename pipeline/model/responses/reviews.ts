import { z } from 'zod'
import { reviewKinds, reviewStatuses } from '../review.ts'
import { pageEnd, Success } from '../shared-fields.ts'

const summary = {
  review_id: z.uuid().describe('ID of the review, for later requests'),
  kind: z.enum(reviewKinds).describe('Kind of submission, which determines what a decision does'),
  subject: z
    .string()
    .describe('What is reviewed, such as a domain or the ID of a policy, depending on `kind`'),
  status: z
    .enum(reviewStatuses)
    .describe('Status of the review; `pending` until a moderator decides'),
  digest: z.string().describe('SHA-256 of the submission; required for a decision'),
  submitted_at: z.iso.datetime().describe('Time of the last submission'),
  submitter: z
    .object({
      id: z.string().describe('ID of the key or person behind the submission'),
      organization: z
        .string()
        .nullable()
        .describe('Name of the submitter’s organization; null if there is none'),
    })
    .describe('Author of the submission'),
  reviewed_at: z.iso.datetime().nullable().describe('Time of the decision; null until then'),
  notes: z.string().nullable().describe('Reason for the decision; null if there is none'),
}

const ReviewSummary = z
  .object(summary)
  .meta({ id: 'ReviewSummary', description: 'A review without the submission itself' })
export type ReviewSummary = z.infer<typeof ReviewSummary>

export const ReviewList = z
  .object({
    reviews: z.array(ReviewSummary).describe('Reviews on this page, newest first'),
    total: z.int().nonnegative().describe('Number of reviews on all pages'),
    ...pageEnd,
  })
  .meta({ id: 'ReviewList', description: 'A page of reviews, pending or decided' })
export type ReviewList = z.infer<typeof ReviewList>

export const ReviewAnswer = z
  .object({
    ...summary,
    submission: z
      .record(z.string(), z.unknown())
      .describe('What was submitted; the fields depend on `kind`'),
    picture: z
      .string()
      .nullable()
      .describe('Path of the image if a logo is reviewed, for moderators; otherwise null'),
  })
  .meta({
    id: 'Review',
    description: 'A submission that is waiting for a moderator or has been decided',
  })
export type ReviewAnswer = z.infer<typeof ReviewAnswer>

export const ReviewDecided = z
  .object({
    success: Success,
    review_id: summary.review_id,
    status: z.enum(['approved', 'rejected']).describe('The decision, which is final'),
  })
  .meta({ id: 'ReviewDecided', description: 'A decision that was carried out' })
