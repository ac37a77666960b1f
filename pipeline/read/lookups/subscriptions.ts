import type { Subscription } from '../../model/subscription.ts'
import { toSubscriptionKey } from '../../serving/keys.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import type { Reader } from '../reader.ts'

type Serving = Pick<Reader, 'serving'>

/** Lists the subscriptions of an organization, the oldest first. */
export function listSubscriptions({ serving }: Serving, orgId: string): Subscription[] {
  const found = serving === undefined ? [] : [...serving.range('subscription', orgId)]
  return found
    .map(({ value }) => JSON.parse(value.toString()) as Subscription)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0))
}

/** Finds a subscription of an organization; one of another organization is not found. */
export function findSubscription(
  { serving }: Serving,
  orgId: string,
  subscriptionId: string,
): Subscription | undefined {
  const value = serving?.get('subscription', toSubscriptionKey(orgId, subscriptionId))
  return value && (JSON.parse(value.toString()) as Subscription)
}

/** Lists the subscriptions of all organizations, disabled ones too. */
export function listAllSubscriptions(serving: ServingStore): Subscription[] {
  return [...serving.entries('subscription')].map(
    ({ value }) => JSON.parse(value.toString()) as Subscription,
  )
}
