import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { isModerator } from '../../../pipeline/core/roles.ts'
import type { StoredLogo } from '../../../pipeline/model/logo.ts'
import {
  type ReviewAnswer as Answer,
  ReviewAnswer,
  ReviewDecided,
  ReviewList,
  type ReviewSummary,
} from '../../../pipeline/model/responses/reviews.ts'
import {
  ReviewDigest,
  ReviewNotes,
  reviewKinds,
  reviewStatuses,
  type StoredReview,
} from '../../../pipeline/model/review.ts'
import { findReview, listReviews } from '../../../pipeline/read/lookups/reviews.ts'
import type { Principal } from '../../auth/principal.ts'
import { createPageSize, pageCursor, pageOffset } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { buildPageEnd } from '../../responses/lists.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'
import { buildLogoPath } from '../brands/logos.ts'
import { writeErrors } from '../write-errors.ts'

const PAGE_ROWS_DEFAULT = 20
const PAGE_ROWS_MAX = 50
const path = '/api/registry/reviews'
const params = z.object({ id: z.uuid().toLowerCase().describe('The review’s `review_id`') })
const digest = ReviewDigest.describe(
  'Digest of the version that was read; it must be the current one',
)
const reviewErrors = [...writeErrors, 'not_found', 'conflict'] as const

export const listPendingReviews = defineOperation({
  id: 'listReviews',
  method: 'GET',
  path,
  group: 'Community Mirrors',
  summary: 'List submissions for moderators',
  description:
    'For moderators. Lists mirror proposals, first versions of policies, logos of others’ domains, ' +
    'submitted brands, saved names that resemble others, and disputes.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    status: z.enum(reviewStatuses).default('pending').describe('Only reviews with this status'),
    kind: z.enum(reviewKinds).optional().describe('Only submissions of this kind'),
    limit: createPageSize({ defaultSize: PAGE_ROWS_DEFAULT, max: PAGE_ROWS_MAX }),
    offset: pageOffset,
    cursor: pageCursor,
  }),
  reply: { 200: ReviewList },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query: { status, kind, limit, offset, cursor }, principal, services: { reader } }) => {
    requireModerator(principal)
    const found = listReviews(
      reader,
      review => review.status === status && (kind === undefined || review.kind === kind),
    )
    const start = cursor === undefined ? offset : Number(cursor)
    const page = found.slice(start, start + limit)
    return replyOk({
      reviews: page.map(toSummary),
      total: found.length,
      ...buildPageEnd(start, page.length, found.length),
    })
  },
})

export const readReview = defineOperation({
  id: 'getReview',
  method: 'GET',
  path: `${path}/:id`,
  group: 'Community Mirrors',
  summary: 'Get a review with its submission',
  description:
    'For moderators. A decision must include the digest of the version that was read here.',
  access: 'bearer',
  cache: 'private',
  params,
  reply: { 200: ReviewAnswer },
  errors: ['invalid_request', 'forbidden', 'not_found'],
  handle: ({ params: { id }, principal, services: { reader } }) => {
    requireModerator(principal)
    const found = findReview(reader, id)
    if (found === undefined) return replyRefused('not_found', `there is no review "${id}"`, {})
    const { review, payload } = found
    return replyOk({
      ...toSummary(review),
      submission: payload as Answer['submission'],
      picture:
        review.kind === 'logo' && review.status !== 'rejected'
          ? buildLogoPath(payload as unknown as StoredLogo)
          : null,
    })
  },
})

export const approveReview = defineOperation({
  id: 'approveReview',
  method: 'POST',
  path: `${path}/:id/approve`,
  group: 'Community Mirrors',
  summary: 'Approve a submission',
  description:
    'For moderators. The submission is published, or the dispute is upheld. The request is rejected if the digest is not ' +
    'the current version’s, or if the submission conflicts with later changes.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  params,
  body: z.object({
    digest,
    notes: ReviewNotes.describe('Reason for the approval, stored with the review').optional(),
  }),
  reply: { 200: ReviewDecided },
  errors: reviewErrors,
  handle: async ({ params: { id }, body, principal, services }) => {
    await decide('review.approve', id, body, principal, services)
    return replyOk({ success: true, review_id: id, status: 'approved' as const })
  },
})

export const rejectReview = defineOperation({
  id: 'rejectReview',
  method: 'POST',
  path: `${path}/:id/reject`,
  group: 'Community Mirrors',
  summary: 'Reject a submission',
  description:
    'For moderators. A rejected image is deleted, a policy is discarded, a saved entry stays hidden ' +
    'until the next save, and a disputed link is restored.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  params,
  body: z.object({
    digest,
    notes: ReviewNotes.describe('Reason for the rejection, stored with the review'),
  }),
  reply: { 200: ReviewDecided },
  errors: reviewErrors,
  handle: async ({ params: { id }, body, principal, services }) => {
    await decide('review.reject', id, body, principal, services)
    return replyOk({ success: true, review_id: id, status: 'rejected' as const })
  },
})

async function decide(
  op: 'review.approve' | 'review.reject',
  review_id: string,
  { digest, notes = '' }: { digest: string; notes?: string | undefined },
  principal: Principal,
  { writer }: Services,
): Promise<void> {
  requireModerator(principal)
  const decision = { review_id, digest, reviewer: principal.id }
  const operation =
    op === 'review.reject'
      ? { op, ...decision, notes }
      : { op, ...decision, ...(notes !== '' && { notes }) }
  unwrapAnswer(await writer.submit(operation))
}

function requireModerator({ roles }: Principal): void {
  if (!isModerator(roles)) refuse('forbidden', 'only moderators review what others submit')
}

function toSummary({ review_id, kind, subject, ...review }: StoredReview): ReviewSummary {
  return {
    review_id,
    kind,
    subject,
    status: review.status,
    digest: review.digest,
    submitted_at: review.submitted_at,
    submitter: { id: review.submitted_by, organization: review.org_name },
    reviewed_at: review.reviewed_at,
    notes: review.notes,
  }
}
