import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { EnrolledUrl } from '../../pipeline/model/member.ts'
import {
  DeliveryLog,
  Subscriptions,
  SubscriptionView,
  TestDelivery,
} from '../../pipeline/model/responses/subscriptions.ts'
import {
  ReceiverUrl,
  SUBSCRIPTION_FILTERS_MAX,
  type Subscription,
} from '../../pipeline/model/subscription.ts'
import { isTypeFilter, matchTypes } from '../../pipeline/read/lookups/feed-types.ts'
import { findSubscription, listSubscriptions } from '../../pipeline/read/lookups/subscriptions.ts'
import { resolveOrganization } from '../auth/organization-access.ts'
import { OrganizationQuery, org } from '../auth/organization-query.ts'
import { requireSubscriptionAllowed, resolveCursor } from '../checks/new-subscription.ts'
import { createPageSize, PastedDomain } from '../inputs/fields.ts'
import { confirmReceiver, requireSigning, testReceiver } from '../live/receiver-challenge.ts'
import { defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { unwrapAnswer } from '../operation/submission-result.ts'
import { noContent, replyOk } from '../responses/reply.ts'
import { toSubscriptionView } from '../responses/subscriptions.ts'

/** Attempts that one answer lists at most. */
const LISTED_ATTEMPTS_MAX = 100

const declared = {
  group: 'Change Feed',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
} as const

const place = {
  params: z.object({
    id: z.uuid().toLowerCase().describe('`subscription_id` that was given out'),
  }),
  path: '/api/registry/subscriptions/:id',
} as const

const filters = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).max(SUBSCRIPTION_FILTERS_MAX).default([]).describe(description)

const EventTypeFilter = z
  .string()
  .refine(filter => isTypeFilter(filter) && matchTypes([filter]).length > 0, {
    error: `must be a type of events or a pattern of some; there are ${eventTypeNames.join(', ')}`,
  })

const NewReceiver = ReceiverUrl.refine(url => canBePublic(new URL(url).hostname), {
  error: 'must be on the public Internet',
  // Text that is not a URL gets only that message.
  when: ({ issues }) => issues.length === 0,
})

export const createSubscription = defineOperation({
  ...declared,
  id: 'createSubscription',
  method: 'POST',
  path: '/api/registry/subscriptions',
  summary: 'Subscribe to changes by webhook',
  description:
    'The address is posted a signed challenge first (`task_type` `registry_challenge`) and must answer ' +
    '200 with JSON that repeats `result.challenge` as `challenge`. From then on each change is posted in ' +
    'the order of the feed, at least once: `result.events` as the feed has them, `result.cursor` to go on by ' +
    'the feed. Posts are signed (RFC 9421) by a key of `/.well-known/jwks.json`. Any status of 2xx takes a ' +
    'delivery; what is not taken is repeated with growing waits for three days.',
  writes: true,
  once: true,
  body: z.object({
    url: NewReceiver.describe('Address of the receiver, https'),
    event_types: filters(
      EventTypeFilter,
      'Types of events, `*` for any characters; all types without it',
    ),
    domains: filters(
      PastedDomain,
      'Only events that concern one of these domains, or one of `agents`',
    ),
    agents: filters(
      EnrolledUrl,
      'Only events that concern one of these agents, or one of `domains`',
    ),
    cursor: z
      .uuid()
      .toLowerCase()
      .optional()
      .describe('Begin after this event; without it, with the next change'),
  }),
  reply: { 201: SubscriptionView },
  errors: [
    'invalid_request',
    'forbidden',
    'conflict',
    'cursor_expired',
    'too_large',
    'unsupported_media_type',
    'receiver_unconfirmed',
    'rate_limited',
    'unavailable',
  ],
  handle: async ({ query, body, principal, attempt, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    const { reader, writer, config, receivers } = services
    const subscription_id = deriveId('subscription', org_id, attempt)
    const known = findSubscription(reader, org_id, subscription_id)
    if (known?.url === body.url) return { status: 201, body: show(known, services) }
    if (known) refuse('conflict', 'this Idempotency-Key was used for a different request')
    requireSubscriptionAllowed(body.url, org_id, services)
    const cursor = resolveCursor(body.cursor, services)
    requireSigning(services)
    const headers = await receivers.count(org_id)
    const asked = { url: body.url, subscription_id, organization_id: org_id }
    await confirmReceiver(asked, principal.id, services)
    const { event_types, domains, agents } = body
    unwrapAnswer(
      await writer.submit({
        op: 'subscription.create',
        subscription_id,
        org_id,
        url: body.url,
        event_types,
        domains: [...new Set<Domain>(domains)],
        agents: [...new Set(agents)],
        cursor,
        created_by: principal.id,
        most: config.LIMITS.subscriptionsPerOrganization,
      }),
    )
    const subscription = requireOwn(subscription_id, org_id, services)
    return { status: 201, body: show(subscription, services), headers }
  },
})

export const listOwnSubscriptions = defineOperation({
  ...declared,
  id: 'listSubscriptions',
  method: 'GET',
  path: '/api/registry/subscriptions',
  summary: 'List the subscriptions of your organization',
  reply: { 200: Subscriptions },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    const own = listSubscriptions(services.reader, org_id)
    return replyOk({ subscriptions: own.map(each => show(each, services)) })
  },
})

export const readSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'getSubscription',
  method: 'GET',
  summary: 'Get a subscription and how far its deliveries are',
  reply: { 200: SubscriptionView },
  errors: ['invalid_request', 'forbidden', 'not_found'],
  handle: ({ query, params: { id }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    return replyOk(show(requireOwn(id, org_id, services), services))
  },
})

export const deleteSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'deleteSubscription',
  method: 'DELETE',
  summary: 'Delete a subscription',
  description: 'A delivery that is under way may still arrive.',
  writes: true,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ query, params: { id }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    requireOwn(id, org_id, services)
    unwrapAnswer(
      await services.writer.submit({ op: 'subscription.delete', subscription_id: id, org_id }),
    )
    return noContent
  },
})

export const resumeSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'resumeSubscription',
  method: 'POST',
  path: '/api/registry/subscriptions/:id/resume',
  summary: 'Resume a disabled subscription',
  description:
    'The receiver is posted a challenge as for a new subscription, and deliveries go on after the ' +
    '`cursor` of the subscription. Where the feed no longer has it, the answer is 410: delete the ' +
    'subscription and subscribe again. One that is not disabled is returned as it is, without a challenge.',
  writes: true,
  reply: { 200: SubscriptionView },
  errors: [
    'invalid_request',
    'forbidden',
    'not_found',
    'cursor_expired',
    'receiver_unconfirmed',
    'rate_limited',
    'unavailable',
  ],
  handle: async ({ query, params: { id }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    const disabled = requireOwn(id, org_id, services)
    if (disabled.disabled_at === null) return replyOk(show(disabled, services))
    resolveCursor(show(disabled, services).cursor, services)
    requireSigning(services)
    const headers = await services.receivers.count(org_id)
    const asked = { url: disabled.url, subscription_id: id, organization_id: org_id }
    await confirmReceiver(asked, principal.id, services)
    unwrapAnswer(
      await services.writer.submit({ op: 'subscription.resume', subscription_id: id, org_id }),
    )
    return replyOk(show(requireOwn(id, org_id, services), services), headers)
  },
})

export const testSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'testSubscription',
  method: 'POST',
  path: '/api/registry/subscriptions/:id/test',
  summary: 'Post a test to the receiver of a subscription',
  description:
    'A post without events (`task_type` `registry_test`), signed as deliveries are. It changes nothing and ' +
    'is not in the log.',
  writes: true,
  reply: { 200: TestDelivery },
  errors: ['invalid_request', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  handle: async ({ query, params: { id }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    const subscription = requireOwn(id, org_id, services)
    requireSigning(services)
    const headers = await services.receivers.count(org_id)
    const asked = { url: subscription.url, subscription_id: id, organization_id: org_id }
    return replyOk(await testReceiver(asked, principal.id, services), headers)
  },
})

export const listDeliveries = defineOperation({
  ...declared,
  ...place,
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/registry/subscriptions/:id/deliveries',
  summary: 'List the last attempts to deliver to a receiver',
  query: z.object({
    org,
    limit: createPageSize({ defaultSize: 50, max: LISTED_ATTEMPTS_MAX }),
  }),
  reply: { 200: DeliveryLog },
  errors: ['invalid_request', 'forbidden', 'not_found'],
  handle: ({ query, params: { id }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    requireOwn(id, org_id, services)
    const deliveries = services.pushState.find()?.listAttempts(id, query.limit) ?? []
    return replyOk({ subscription_id: id, deliveries })
  },
})

function show(subscription: Subscription, { pushState }: Services): SubscriptionView {
  return toSubscriptionView(
    subscription,
    pushState.find()?.findProgress(subscription.subscription_id),
  )
}

/** Finds a subscription of an organization, or refuses with 404. */
function requireOwn(id: string, orgId: string, { reader }: Services): Subscription {
  return (
    findSubscription(reader, orgId, id) ??
    refuse('not_found', 'your organization has no subscription of this id')
  )
}
