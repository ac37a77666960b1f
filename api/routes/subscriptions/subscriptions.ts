import { z } from 'zod'
import {
  DeliveryLog,
  Subscriptions,
  SubscriptionView,
} from '../../../pipeline/model/responses/subscriptions.ts'
import { listSubscriptions } from '../../../pipeline/read/lookups/subscriptions.ts'
import { resolveOrganization } from '../../auth/organization-access.ts'
import { org } from '../../auth/organization-query.ts'
import { createPageSize } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'
import { filters, requireFilterable, resolveAgents } from './filters.ts'
import {
  declared,
  describeSubscription,
  place,
  requireChangeable,
  requireOwn,
} from './own-subscription.ts'

/** Attempts that one answer lists at most. */
const LISTED_ATTEMPTS_MAX = 100

export const listOwnSubscriptions = defineOperation({
  ...declared,
  id: 'listSubscriptions',
  method: 'GET',
  path: '/api/registry/subscriptions',
  summary: 'List your organization’s subscriptions',
  reply: { 200: Subscriptions },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    const own = listSubscriptions(services.reader, org_id)
    return replyOk({
      subscriptions: own.map(subscription => describeSubscription(subscription, services)),
    })
  },
})

export const readSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'getSubscription',
  method: 'GET',
  summary: 'Get a subscription and its delivery progress',
  reply: { 200: SubscriptionView },
  errors: ['invalid_request', 'forbidden', 'not_found'],
  handle: ({ query, params: { id }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    return replyOk(describeSubscription(requireOwn(id, org_id, services), services))
  },
})

export const changeSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'changeSubscription',
  method: 'PATCH',
  summary: 'Change the filters of a subscription',
  description:
    'Lists that you leave out stay as they are. The new filters apply to everything after the `cursor` of the subscription, except that a delivery that has started, or is being retried, stays as it is. The URL and the `signing_secret` cannot be changed, and the receiver gets no challenge.',
  writes: true,
  // Strict, since a filter under another name would be none.
  body: z
    .strictObject(filters)
    .partial()
    .refine(body => Object.keys(body).length > 0, {
      error: 'must have at least one of `event_types`, `domains` and `agents`',
    }),
  reply: { 200: SubscriptionView },
  errors: [...writeErrors, 'not_found'],
  handle: async ({ query, params: { id }, body, principal, services }) => {
    const { org_id, kind } = requireChangeable(id, query.org, principal, services)
    requireFilterable(kind, body)
    unwrapAnswer(
      await services.writer.submit({
        op: 'subscription.change',
        subscription_id: id,
        org_id,
        ...body,
        ...(body.agents && { agents: resolveAgents(body.agents, services.reader) }),
      }),
    )
    return replyOk(describeSubscription(requireOwn(id, org_id, services), services))
  },
})

export const deleteSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'deleteSubscription',
  method: 'DELETE',
  summary: 'Delete a subscription',
  description: 'A delivery that has already started may still arrive.',
  writes: true,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ query, params: { id }, principal, services }) => {
    const { org_id } = requireChangeable(id, query.org, principal, services)
    unwrapAnswer(
      await services.writer.submit({ op: 'subscription.delete', subscription_id: id, org_id }),
    )
    return noContent
  },
})

export const listDeliveries = defineOperation({
  ...declared,
  ...place,
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/registry/subscriptions/:id/deliveries',
  summary: 'List a subscription’s last delivery attempts',
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
