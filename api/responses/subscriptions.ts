import type { SubscriptionView } from '../../pipeline/model/responses/subscriptions.ts'
import type { Subscription } from '../../pipeline/model/subscription.ts'
import type { Progress } from '../../pipeline/push/state.ts'

/**
 * Builds the view of a subscription that its organization sees; without `progress`, nothing has been
 * delivered yet.
 */
export function toSubscriptionView(
  { org_id: _, cursor, disabled_at, disabled_reason, ...own }: Subscription,
  progress: Progress | undefined,
): SubscriptionView {
  const isFailing = (progress?.failures ?? 0) > 0
  return {
    ...own,
    status: disabled_at !== null ? 'disabled' : isFailing ? 'failing' : 'active',
    cursor: progress?.cursor ?? cursor,
    delivered_at: progress?.delivered_at ?? null,
    failing_since: progress?.failing_since ?? null,
    failures: progress?.failures ?? 0,
    next_attempt_at: disabled_at === null ? (progress?.next_attempt_at ?? null) : null,
    disabled_at,
    disabled_reason,
  }
}
