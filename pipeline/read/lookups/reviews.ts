import type { StoredReview } from '../../model/review.ts'
import type { PrivateReader } from './private-rows.ts'

const COLUMNS = `review_id, kind, subject, submitted_by, r.org_id, submitted_at, digest, status, reviewer, notes,
  reviewed_at, o.name as org_name`
const REVIEWS = 'reviews r left join organizations o using (org_id)'

/** Lists every matching review, the latest submission first. */
export function listReviews(
  { record }: PrivateReader,
  isMatching: (review: StoredReview) => boolean,
): StoredReview[] {
  const reviews = record?.all<StoredReview>(
    `select ${COLUMNS} from ${REVIEWS} order by submitted_at desc, review_id desc`,
  )
  return reviews?.filter(isMatching) ?? []
}

/** Finds a review with the submission that it is about. */
export function findReview(
  { record }: PrivateReader,
  id: string,
): { review: StoredReview; payload: Record<string, unknown> } | undefined {
  const row = record?.one<StoredReview & { payload: Record<string, unknown> }>(
    `select ${COLUMNS}, payload from ${REVIEWS} where review_id = $id`,
    { id },
  )
  if (row === undefined) return undefined
  const { payload, ...review } = row
  return { review, payload }
}
