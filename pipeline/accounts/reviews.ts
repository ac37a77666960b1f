import { toIso } from '../core/clock.ts'
import type { ReviewKind, ReviewStatus } from '../model/review.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { AccountStamp } from './stamp.ts'

/** A review as stored. */
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
 * Submits something for review. An organization, or a person without one, has one pending review per
 * kind and subject: submitting again replaces its content and keeps its id, which is returned.
 */
export function submitReview(
  db: Sqlite,
  review: Omit<Review, 'status'>,
  { now, seq }: AccountStamp,
): string {
  const pending = findPendingReview(db, review)
  const review_id = pending?.review_id ?? review.review_id
  db.run('delete from reviews where review_id = $review_id', { review_id })
  const submitted_at = toIso(now)
  const undecided = { status: 'pending', reviewer: null, notes: null, reviewed_at: null }
  db.insert('reviews', [{ ...review, review_id, submitted_at, ...undecided, seq }])
  return review_id
}

/** Finds the pending review of a kind and subject by the same submitter. */
export function findPendingReview(
  db: Sqlite,
  { kind, subject, org_id, submitted_by }: Omit<Review, 'status'>,
): Review | undefined {
  return db.one(
    `select * from reviews where kind = $kind and subject = $subject and status = 'pending'
       and (org_id = $org_id or (org_id is null and $org_id is null
         and submitted_by = $submitted_by))`,
    { kind, subject, org_id, submitted_by },
  )
}
