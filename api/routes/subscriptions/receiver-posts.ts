import { SubscriptionView, TestDelivery } from '../../../pipeline/model/responses/subscriptions.ts'
import { resolveCursor } from '../../checks/new-subscription.ts'
import { confirmReceiver, requireSigning, testReceiver } from '../../live/receiver-challenge.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { replyOk } from '../../responses/reply.ts'
import {
  declared,
  describeSubscription,
  describeWithSecret,
  place,
  requireChangeable,
  requireOwn,
} from './own-subscription.ts'

export const resumeSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'resumeSubscription',
  limits: ['receiverQuestionsPerHour'],
  method: 'POST',
  path: '/api/registry/subscriptions/:id/resume',
  summary: 'Resume a disabled subscription',
  description:
    'The receiver gets a challenge, as for a new subscription, and deliveries continue after ' +
    'the `cursor` of the subscription. If the feed or the audit log no longer contains that position, the response is 410: delete the subscription and create a new one. An active subscription is ' +
    'returned as it is, without a challenge.',
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
    const disabled = requireChangeable(id, query.org, principal, services)
    const { org_id } = disabled
    if (disabled.disabled_at === null) return replyOk(describeWithSecret(disabled, services))
    resolveCursor(describeSubscription(disabled, services).cursor, disabled, services)
    requireSigning(services)
    const headers = await services.receivers.count(org_id)
    const receiver = { url: disabled.url, subscription_id: id, organization_id: org_id }
    await confirmReceiver(receiver, principal.id, services)
    unwrapAnswer(
      await services.writer.submit({
        op: 'subscription.resume',
        subscription_id: id,
        org_id,
        resumed_by: principal.id,
      }),
    )
    return replyOk(describeWithSecret(requireOwn(id, org_id, services), services), headers)
  },
})

export const testSubscription = defineOperation({
  ...declared,
  ...place,
  id: 'testSubscription',
  limits: ['receiverQuestionsPerHour'],
  method: 'POST',
  path: '/api/registry/subscriptions/:id/test',
  summary: 'Send a test to a subscription’s receiver',
  description:
    'Posts a signed test without events, with the `task_type` `registry_test`. The test changes nothing and is not logged.',
  writes: true,
  reply: { 200: TestDelivery },
  errors: ['invalid_request', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  handle: async ({ query, params: { id }, principal, services }) => {
    const subscription = requireChangeable(id, query.org, principal, services)
    const { org_id } = subscription
    requireSigning(services)
    const headers = await services.receivers.count(org_id)
    const receiver = { url: subscription.url, subscription_id: id, organization_id: org_id }
    return replyOk(await testReceiver(receiver, principal.id, services), headers)
  },
})
