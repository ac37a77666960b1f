import { toIso } from '../core/clock.ts'
import type { ReviewKind } from '../model/review.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { approveBrand, rejectBrand } from './brand-submissions.ts'
import { rejectDispute, upholdDispute } from './contributions.ts'
import { decideEntry } from './entry-reviews.ts'
import { approveLogo, rejectLogo } from './logos.ts'
import { approveMirror, invertMirrorChange, rejectMirror } from './mirrors.ts'
import { getRowBefore, invertRevision, type OperationDefinitions } from './operation-definition.ts'
import { approvePolicy, rejectPolicy } from './policies.ts'
import type { Review } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

type Decide = (db: Sqlite, review: Review, stamp: AccountStamp) => Answer

interface Decisions {
  /** Applies a proposal, or refuses it where it conflicts with the current state. */
  approve: Decide
  /** Undoes the submission. */
  reject: Decide
}

const decisions: Record<ReviewKind, Decisions> = {
  brand: { approve: approveBrand, reject: rejectBrand },
  dispute: { approve: upholdDispute, reject: rejectDispute },
  logo: { approve: approveLogo, reject: rejectLogo },
  mirror: { approve: approveMirror, reject: rejectMirror },
  policy: { approve: approvePolicy, reject: rejectPolicy },
  entry: { approve: decideEntry, reject: decideEntry },
}

/**
 * Decides a pending review, if its digest is the one that the reviewer read. Its kind defines the effect of
 * an approval; a refusal by the kind leaves the review pending.
 */
export function decideReview(
  db: Sqlite,
  operation: OperationOf<'review.approve' | 'review.reject'>,
  stamp: AccountStamp,
): Answer {
  const { op, review_id, digest, reviewer, notes = null, kind } = operation
  const review = db.one<Review>('select * from reviews where review_id = $review_id', {
    review_id,
  })
  if (review === undefined || (kind !== undefined && review.kind !== kind)) {
    return { refused: `there is no review "${review_id}"`, error: 'not_found' }
  }
  if (review.status !== 'pending') {
    return { refused: `it was already ${review.status}`, error: 'conflict' }
  }
  if (review.digest !== digest) {
    return { refused: 'it has changed since it was read: read it again', error: 'conflict' }
  }
  const { approve, reject } = decisions[review.kind]
  const answer = (op === 'review.approve' ? approve : reject)(db, review, stamp)
  if ('refused' in answer) return answer
  db.run(
    `update reviews set status = $status, reviewer = $reviewer, notes = $notes,
       reviewed_at = $now, seq = $seq where review_id = $review_id`,
    {
      review_id,
      reviewer,
      notes,
      now: toIso(stamp.now),
      seq: stamp.seq,
      status: op === 'review.approve' ? 'approved' : 'rejected',
    },
  )
  return { done: { ...answer.done, review_id } }
}

const review = { table: 'reviews', where: 'review_id = $review_id' }
const approved = {
  table: 'mirrors',
  where: `platform in (select subject from reviews where review_id = $review_id and kind = 'mirror')`,
}
const DECIDED = 'a decision is final: submit, publish or remove the subject again'

export const reviewDefinitions: OperationDefinitions<'review.approve' | 'review.reject'> = {
  'review.approve': {
    perform: decideReview,
    watches: [review, approved],
    requires: { moderator: () => true },
    invert({ review_id }, known) {
      const { kind, subject } = getRowBefore(known, 'reviews') ?? {}
      if (kind === 'mirror') return invertMirrorChange({ platform: String(subject) }, known)
      if (kind === 'brand') return invertRevision('brand', String(subject), review_id, known)
      return DECIDED
    },
  },
  'review.reject': {
    perform: decideReview,
    watches: [review],
    requires: { moderator: () => true },
    irreversible: DECIDED,
  },
}
