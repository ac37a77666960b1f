import { storedReviews } from '../accounts/reviews.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { payloadKey, reviewKey } from '../serving-keys.ts'

/** Reviews, and apart from them what was handed in: a queue is read without that. */
export async function reviewEntries(
  accounts: Accounts,
  { reviews, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await storedReviews(accounts.db, reviews, parameters)
  return rows.flatMap(({ payload, ...review }): Entry[] => [
    {
      space: 'review',
      key: reviewKey(review.review_id),
      value: Buffer.from(JSON.stringify(review)),
    },
    {
      space: 'review',
      key: payloadKey(review.review_id),
      value: Buffer.from(JSON.stringify(payload)),
    },
  ])
}
