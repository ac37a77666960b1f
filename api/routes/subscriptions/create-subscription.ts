import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { canBePublic } from '../../../pipeline/core/public-name.ts'
import { deriveId } from '../../../pipeline/core/uuid-v7.ts'
import { SubscriptionView } from '../../../pipeline/model/responses/subscriptions.ts'
import {
  DeliveryCursor,
  ReceiverUrl,
  type Subscription,
  subscriptionKinds,
} from '../../../pipeline/model/subscription.ts'
import { findSubscription } from '../../../pipeline/read/lookups/subscriptions.ts'
import { resolveOrganization } from '../../auth/organization-access.ts'
import { requireSubscriptionAllowed, resolveCursor } from '../../checks/new-subscription.ts'
import { confirmReceiver, requireSigning } from '../../live/receiver-challenge.ts'
import { KEY_OF_OTHER, submitSecret } from '../../live/submit-secret.ts'
import { defineOperation } from '../../operation/operation.ts'
import { writeErrors } from '../write-errors.ts'
import { filters, requireFilterable, resolveAgents } from './filters.ts'
import { declared, describeWithSecret, requireKindAllowed, requireOwn } from './own-subscription.ts'

const NewReceiver = ReceiverUrl.refine(url => canBePublic(new URL(url).hostname), {
  error: 'must be an endpoint on the public internet',
  // Text that is not a URL gets only that message.
  when: ({ issues }) => issues.length === 0,
})

export const createSubscription = defineOperation({
  ...declared,
  id: 'createSubscription',
  limits: ['receiverQuestionsPerHour'],
  method: 'POST',
  path: '/api/registry/subscriptions',
  summary: 'Subscribe to changes, or to your audit log, by webhook',
  description:
    'The registry first posts a signed challenge to the URL, with the `task_type` `registry_challenge`. The receiver must return 200 with JSON that repeats `result.challenge` as `challenge`. After that, each change is posted in the order of the feed, at least once: `result.events` has the events as the feed returns them, and `result.cursor` is where to continue in the feed: send it there as `cursor`. Posts are signed with a key from `/.well-known/jwks.json` (RFC 9421) and with `signing_secret` (Standard Webhooks). Any 2xx status accepts a delivery. A failed delivery is retried for three days, at increasing intervals. With `kind` `audit`, the changes of `GET /api/me/organization/audit` are posted instead. Only owners, admins, and keys with `admin:read` or `admin:*` can do this, and deliveries stop if whoever created or last resumed the subscription loses that access.',
  writes: true,
  isIdempotent: true,
  // Strict, since a filter under another name would be none: everything would be posted.
  body: z.strictObject({
    url: NewReceiver.describe('URL of the receiver, https'),
    kind: z
      .enum(subscriptionKinds)
      .default('changes')
      .describe('What to post: the `changes` of the feed, or the `audit` log of your organization'),
    event_types: filters.event_types.default([]),
    domains: filters.domains.default([]),
    agents: filters.agents.default([]),
    cursor: DeliveryCursor.overwrite(text => text.toLowerCase())
      .optional()
      .describe(
        'Start after this event, or this `cursor` of the audit log; by default, with the next change',
      ),
  }),
  reply: { 201: SubscriptionView },
  errors: [...writeErrors, 'conflict', 'cursor_expired', 'receiver_unconfirmed', 'rate_limited'],
  handle: async ({ query, body, principal, submissionId, services }) => {
    const belonging = resolveOrganization(principal, query.org)
    const { org_id } = belonging
    const { kind, event_types, domains, agents } = body
    requireKindAllowed(kind, belonging, principal)
    requireFilterable(kind, { event_types, domains, agents })
    const { reader, config, receivers } = services
    const subscription_id = deriveId('subscription', org_id, submissionId)
    const known = findSubscription(reader, org_id, subscription_id)
    if (known) refuse('conflict', explainUsed(known, body))
    requireSubscriptionAllowed(body.url, org_id, services)
    const cursor = resolveCursor(body.cursor, { kind, org_id }, services)
    requireSigning(services)
    const headers = await receivers.count(org_id)
    const receiver = { url: body.url, subscription_id, organization_id: org_id }
    await confirmReceiver(receiver, principal.id, services)
    const creation = {
      op: 'subscription.create',
      subscription_id,
      org_id,
      url: body.url,
      kind,
      event_types,
      domains,
      agents: resolveAgents(agents, reader),
      cursor,
      created_by: principal.id,
      most: config.LIMITS.subscriptionsPerOrganization,
    } as const
    await submitSecret(services, submissionId, creation, body)
    const subscription = requireOwn(subscription_id, org_id, services)
    return { status: 201, body: describeWithSecret(subscription, services), headers }
  },
})

/** Explains why a request with the key of an earlier one is refused: its answer had a secret. */
function explainUsed(
  { subscription_id, url, kind }: Subscription,
  asked: Pick<Subscription, 'url' | 'kind'>,
) {
  return url === asked.url && kind === asked.kind
    ? `this Idempotency-Key created the subscription ${subscription_id}: POST /api/registry/subscriptions/${subscription_id}/resume returns its signing_secret`
    : KEY_OF_OTHER
}
