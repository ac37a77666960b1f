import type { StoredReview } from '../../model/review.ts'
import { REVIEWS, reviewKey, toPayloadKey } from '../../serving/keys.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import type { Reader } from '../reader.ts'

/** Lists every matching review, the latest submission first. */
export function listReviews(
  serving: ServingStore | undefined,
  isMatching: (review: StoredReview) => boolean,
): StoredReview[] {
  const all = serving ? [...serving.range('review', REVIEWS)] : []
  return all
    .map(({ value }) => JSON.parse(value.toString()) as StoredReview)
    .filter(isMatching)
    .sort((a, b) => order(b, a))
}

function order(a: StoredReview, b: StoredReview): number {
  if (a.submitted_at !== b.submitted_at) return a.submitted_at < b.submitted_at ? -1 : 1
  return a.review_id < b.review_id ? -1 : 1
}

/** Finds a review with the submission that it is about. */
export function findReview(
  { serving }: Pick<Reader, 'serving'>,
  id: string,
): { review: StoredReview; payload: Record<string, unknown> } | undefined {
  const value = serving?.get('review', reviewKey(id))
  const payload = serving?.get('review', toPayloadKey(id))
  if (value === undefined || payload === undefined) return undefined
  return { review: JSON.parse(value.toString()), payload: JSON.parse(payload.toString()) }
}
