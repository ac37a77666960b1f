import type { Subscription } from '../../model/subscription.ts'
import { toSubscriptionKey } from '../../serving/keys.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import { findRecord, listRecords, type RecordReader } from './records.ts'

/** Lists the subscriptions of an organization, the oldest first. */
export function listSubscriptions(reader: RecordReader, orgId: string): Subscription[] {
  return listRecords<Subscription>(reader, 'subscription', orgId).sort((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0,
  )
}

/** Finds a subscription of an organization; one of another organization is not found. */
export function findSubscription(
  reader: RecordReader,
  orgId: string,
  subscriptionId: string,
): Subscription | undefined {
  return findRecord(reader, 'subscription', toSubscriptionKey(orgId, subscriptionId))
}

/** Lists the subscriptions of all organizations, disabled ones too. */
export function listAllSubscriptions(serving: ServingStore): Subscription[] {
  return [...serving.entries('subscription')].map(
    ({ value }) => JSON.parse(value.toString()) as Subscription,
  )
}
