import type { StoredReview } from '../../model/review.ts'
import { REVIEWS, toPayloadKey, toReviewKey } from '../../serving/keys.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import type { Reader } from '../reader.ts'
import { findRecord, listRecords } from './records.ts'

/** Lists every matching review, the latest submission first. */
export function listReviews(
  serving: ServingStore | undefined,
  isMatching: (review: StoredReview) => boolean,
): StoredReview[] {
  return listRecords<StoredReview>({ serving }, 'review', REVIEWS)
    .filter(isMatching)
    .sort((a, b) => compareSubmissions(b, a))
}

function compareSubmissions(a: StoredReview, b: StoredReview): number {
  if (a.submitted_at !== b.submitted_at) return a.submitted_at < b.submitted_at ? -1 : 1
  return a.review_id < b.review_id ? -1 : 1
}

/** Finds a review with the submission that it is about. */
export function findReview(
  reader: Pick<Reader, 'serving'>,
  id: string,
): { review: StoredReview; payload: Record<string, unknown> } | undefined {
  const review = findRecord<StoredReview>(reader, 'review', toReviewKey(id))
  const payload = findRecord<Record<string, unknown>>(reader, 'review', toPayloadKey(id))
  return review && payload && { review, payload }
}
