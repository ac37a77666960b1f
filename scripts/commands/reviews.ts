import type { StoredReview } from '../../pipeline/model/review.ts'
import { findReview, listReviews } from '../../pipeline/read/lookups/reviews.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { performOrExit, unwrapOrExit } from './running.ts'

interface Listed {
  status: string
  kind?: string
  json?: boolean
}

/** Prints submissions that wait for review, or were decided. */
export async function printReviews({ status, kind, json }: Listed): Promise<void> {
  const reviews = readRecord(reader =>
    listReviews(
      reader,
      review =>
        (status === 'all' || review.status === status) &&
        (kind === undefined || review.kind === kind),
    ),
  )
  if (json) return void process.stdout.write(`${JSON.stringify(reviews)}\n`)
  for (const review of reviews) process.stdout.write(`${formatLine(review)}\n`)
  if (reviews.length === 0) process.stdout.write('There is nothing to review.\n')
}

function formatLine({ review_id, kind, subject, status, submitted_at, org_name }: StoredReview) {
  return `${review_id}  ${submitted_at}  ${status}  ${kind} ${subject}  by ${org_name ?? 'unknown'}`
}

/** Prints a review with its submission, as JSON. */
export async function showReview(id: string): Promise<void> {
  const found = readRecord(reader => findReview(reader, id))
  if (found === undefined) return void unwrapOrExit({ refused: `There is no review ${id}` })
  process.stdout.write(`${JSON.stringify({ ...found.review, payload: found.payload }, null, 2)}\n`)
}

/**
 * Decides a review. With `digest` the decision is refused where the review has changed since it was
 * read.
 */
export async function decideReview(
  op: 'review.approve' | 'review.reject',
  review_id: string,
  { notes, digest }: { notes?: string; digest?: string },
): Promise<void> {
  const found = readRecord(reader => findReview(reader, review_id))
  if (found === undefined) return void unwrapOrExit({ refused: `There is no review ${review_id}` })
  const decision = { op, review_id, digest: digest ?? found.review.digest, reviewer: 'operator' }
  const operation = { ...decision, ...(notes !== undefined && { notes }) }
  await performOrExit(readSettings(), operation)
  process.stdout.write(
    `${op === 'review.approve' ? 'Approved' : 'Rejected'} the review ${review_id}.\n`,
  )
}
