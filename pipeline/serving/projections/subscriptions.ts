import { loadSubscriptions } from '../../accounts/subscriptions.ts'
import type { Subscription } from '../../model/subscription.ts'
import { toJsonValue } from '../document-value.ts'
import { toSubscriptionKey } from '../keys.ts'
import { SUBSCRIPTIONS_CHANGED } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/** Subscriptions by organization, and a number in `meta` by which readers notice that one has changed. */
export const subscriptionProjection: RowProjection = {
  store: 'accounts',
  tables: ['subscriptions'],
  changed: 'seq > $seq',
  slicedBy: 'subscription_id',
  from: 'subscriptions',
  project({ accounts }, where, parameters) {
    const rows = loadSubscriptions(accounts.db, where, parameters)
    if (rows.length === 0) return []
    const last = accounts.db.oneOrThrow<{ seq: number }>(
      'select max(seq) as seq from subscriptions',
    )
    return [
      ...rows.map(({ begins_after: cursor, url, ...row }) => {
        const subscription: Subscription | null = url === null ? null : { ...row, url, cursor }
        return {
          space: 'subscription' as const,
          key: toSubscriptionKey(row.org_id, row.subscription_id),
          value: subscription === null ? undefined : toJsonValue(subscription),
        }
      }),
      {
        space: 'meta' as const,
        key: SUBSCRIPTIONS_CHANGED,
        value: Buffer.from(String(last.seq)),
      },
    ]
  },
}
