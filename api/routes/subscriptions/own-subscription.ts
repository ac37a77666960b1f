import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import type { SubscriptionView } from '../../../pipeline/model/responses/subscriptions.ts'
import type { Subscription, SubscriptionKind } from '../../../pipeline/model/subscription.ts'
import { findSubscription } from '../../../pipeline/read/lookups/subscriptions.ts'
import { requireKeyRights, resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import type { CallerMembership, Principal } from '../../auth/principal.ts'
import type { Services } from '../../operation/services.ts'

/** Declarations that all operations on subscriptions share. */
export const declared = {
  group: 'Change Feed',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
} as const

/** Declarations of operations on one subscription. */
export const place = {
  params: z.object({
    id: z.uuid().toLowerCase().describe('The subscription’s `subscription_id`'),
  }),
  path: '/api/registry/subscriptions/:id',
} as const

/** Describes a subscription with how far its deliveries are. */
export function describeSubscription(
  subscription: Subscription,
  { pushState }: Services,
): SubscriptionView {
  const { org_id: _, granted_by: __, cursor, disabled_at, disabled_reason, ...own } = subscription
  const progress = pushState.find()?.findProgress(subscription.subscription_id)
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

/** Describes a subscription to those who may change it: with the secret that verifies its deliveries. */
export function describeWithSecret(subscription: Subscription, services: Services) {
  const [secret] = services.keys?.deriveReceiverSecrets(subscription.subscription_id) ?? []
  return {
    ...describeSubscription(subscription, services),
    ...(secret && { signing_secret: `whsec_${secret.toString('base64')}` }),
  }
}

/** Finds a subscription of an organization, or refuses with 404. */
export function requireOwn(id: string, orgId: string, { reader }: Services): Subscription {
  return (
    findSubscription(reader, orgId, id) ??
    refuse('not_found', 'your organization has no subscription with this ID')
  )
}

/**
 * Finds a subscription that the caller may change: one of their organization, and only by those who may have its
 * audit posted where it posts that.
 */
export function requireChangeable(
  id: string,
  org: string | undefined,
  principal: Principal,
  services: Services,
): Subscription {
  const belonging = resolveOrganization(principal, org)
  const subscription = requireOwn(id, belonging.org_id, services)
  requireKindAllowed(subscription.kind, belonging, principal)
  return subscription
}

/** Refuses those who may not have the audit of their organization posted, where that is what is posted. */
export function requireKindAllowed(
  kind: SubscriptionKind,
  belonging: CallerMembership,
  principal: Principal,
): void {
  if (kind === 'audit') requireKeyRights(principal, belonging, 'admin:read')
}
