import type { Subscription } from '../../model/subscription.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { PrivateReader } from './private-rows.ts'

/** Subscriptions; a deleted one has no address. */
const SUBSCRIPTIONS = `
select subscription_id, org_id, iif(granted_by is null, 'changes', 'audit') as kind, granted_by, url, event_types,
  domains, agents, begins_after as cursor, created_at, disabled_at, disabled_reason
from subscriptions left join (select subscription_id, granted_by from audit_subscriptions) using (subscription_id)
where url is not null`

/** Lists the subscriptions of an organization, the oldest first. */
export function listSubscriptions({ record }: PrivateReader, orgId: string): Subscription[] {
  return (
    record?.all(`${SUBSCRIPTIONS} and org_id = $orgId order by created_at, subscription_id`, {
      orgId,
    }) ?? []
  )
}

/** Finds a subscription of an organization; one of another organization is not found. */
export function findSubscription(
  { record }: PrivateReader,
  orgId: string,
  subscriptionId: string,
): Subscription | undefined {
  return record?.one(`${SUBSCRIPTIONS} and org_id = $orgId and subscription_id = $subscriptionId`, {
    orgId,
    subscriptionId,
  })
}

/** Lists the subscriptions of all organizations, disabled ones too. */
export function listAllSubscriptions(record: Sqlite): Subscription[] {
  return record.all(SUBSCRIPTIONS)
}

/** Finds the commit in which any subscription changed last; 0 while there is none. */
export function findLastSubscriptionChange(record: Sqlite): number {
  const sql = 'select coalesce(max(seq), 0) as seq from subscriptions'
  return record.oneOrThrow<{ seq: number }>(sql).seq
}
