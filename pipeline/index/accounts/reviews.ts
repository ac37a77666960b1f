import { isoOf } from '../../core/clock.ts'
import type { ReviewKind, ReviewStatus, StoredReview } from '../../model/review.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Database, Parameters } from '../duckdb.ts'
import { reviewKindOf } from './review-kinds.ts'
import type { Stamp } from './stamp.ts'

/** A review as it stands in the private store. */
export interface Review {
  review_id: string
  kind: ReviewKind
  subject: string
  submitted_by: string
  org_id: string | null
  digest: string
  payload: Record<string, unknown>
  status: ReviewStatus
}

/**
 * What is handed in waits for a person. An organization, or a person without one, has one
 * review of a kind and a subject that is pending: handing in again replaces what it was about and keeps its id, which is returned.
 */
export async function handIn(
  db: Database,
  review: Omit<Review, 'status'>,
  { now, seq }: Stamp,
): Promise<string> {
  const pending = await pendingReview(db, review)
  const review_id = pending?.review_id ?? review.review_id
  await db.run('delete from reviews where review_id = $review_id', { review_id })
  const submitted_at = isoOf(now)
  const undecided = { status: 'pending', reviewer: null, notes: null, reviewed_at: null }
  await db.insert('reviews', [{ ...review, review_id, submitted_at, ...undecided, seq }])
  return review_id
}

export function pendingReview(
  db: Database,
  { kind, subject, org_id, submitted_by }: Omit<Review, 'status'>,
): Promise<Review | undefined> {
  return db.one(
    `select * from reviews where kind = $kind and subject = $subject and status = 'pending'
       and (org_id = $org_id or (org_id is null and $org_id is null
         and submitted_by = $submitted_by))`,
    { kind, subject, org_id, submitted_by },
  )
}

/**
 * Decides a review that is pending, if it is the one that was read. What approving comes to is the
 * kind's; a refusal of the kind leaves the review pending.
 */
export async function decideReview(
  db: Database,
  operation: OperationOf<'review.approve' | 'review.reject'>,
  stamp: Stamp,
): Promise<Answer> {
  const { op, review_id, digest, reviewer, notes = null, kind } = operation
  const review = await db.one<Review>('select * from reviews where review_id = $review_id', {
    review_id,
  })
  if (review === undefined || (kind !== undefined && review.kind !== kind)) {
    return { refused: `no review ${review_id}`, error: 'not_found' }
  }
  if (review.status !== 'pending') {
    return { refused: `it was ${review.status} already`, error: 'conflict' }
  }
  if (review.digest !== digest) {
    return { refused: 'it changed since it was read: read it again', error: 'conflict' }
  }
  const { approve, reject } = reviewKindOf(review.kind)
  const answer = await (op === 'review.approve' ? approve : reject)(db, review, stamp)
  if ('refused' in answer) return answer
  await db.run(
    `update reviews set status = $status, reviewer = $reviewer, notes = $notes,
       reviewed_at = $now::timestamptz, seq = $seq where review_id = $review_id`,
    {
      ...{ review_id, reviewer, notes, now: isoOf(stamp.now), seq: stamp.seq },
      status: op === 'review.approve' ? 'approved' : 'rejected',
    },
  )
  return { done: { ...answer.done, review_id } }
}

/** Reviews for which `where` holds, each with what was handed in. */
export function storedReviews(
  db: Database,
  where: string,
  parameters: Parameters,
): Promise<(StoredReview & { payload: Review['payload'] })[]> {
  return db.all(
    `select r.* exclude (seq), o.name as org_name
     from reviews r left join organizations o using (org_id) where ${where} order by review_id`,
    parameters,
  )
}
