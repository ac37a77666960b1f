import { z } from 'zod'
import { DeliveryCursor, subscriptionKinds } from '../subscription.ts'

const moment = z.iso.datetime()

export const SubscriptionView = z
  .object({
    subscription_id: z.uuid().describe('Permanent ID of the subscription; each delivery names it'),
    kind: z
      .enum(subscriptionKinds)
      .describe('What is posted: `changes` of the feed, or the `audit` log of your organization'),
    url: z.string().describe('URL of the receiver, to which changes are posted'),
    event_types: z
      .array(z.string())
      .describe('Types of events to deliver, including patterns; an empty list means all'),
    domains: z
      .array(z.string())
      .describe(
        'Domains to which events are limited: an event must be about one of them, or about one of `agents`',
      ),
    agents: z
      .array(z.string())
      .describe(
        'Agents to which events are limited: an event must be about one of them, or about one of `domains`',
      ),
    status: z
      .enum(['active', 'failing', 'disabled'])
      .describe(
        'Status of the subscription: `failing` while failed attempts are retried, `disabled` once retries have ended',
      ),
    created_at: moment.describe('Time at which the receiver returned the challenge'),
    cursor: DeliveryCursor.describe(
      'Position in the feed or the audit log up to which everything was accepted or did not match; pass it to the feed as `cursor` to continue there',
    ),
    delivered_at: moment
      .nullable()
      .describe('Time of the last delivery that was accepted; null if none was'),
    failing_since: moment
      .nullable()
      .describe(
        'Time of the first failure after the last accepted delivery; null if there was none',
      ),
    failures: z.int().describe('Number of failed attempts since the last accepted delivery'),
    next_attempt_at: moment
      .nullable()
      .describe('Time of the next attempt after a failure; null if none is scheduled'),
    disabled_at: moment
      .nullable()
      .describe('Time at which deliveries stopped; null while deliveries continue'),
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why the subscription is disabled, in a sentence; null while it is not'),
    signing_secret: z
      .string()
      .optional()
      .describe(
        'Secret (`whsec_…`) for verifying `webhook-signature` (Standard Webhooks); only in responses that create or resume the subscription',
      ),
  })
  .meta({
    id: 'Subscription',
    description: 'A receiver of changes, with the progress of its deliveries',
  })
export type SubscriptionView = z.infer<typeof SubscriptionView>

export const Subscriptions = z
  .object({
    subscriptions: z.array(SubscriptionView).describe('Subscriptions, oldest first'),
  })
  .meta({ id: 'Subscriptions', description: 'An organization’s subscriptions' })

const attempt = {
  status: z.int().nullable().describe('HTTP status of the response; null if there was none'),
  duration_ms: z.number().describe('Time until the response, in milliseconds'),
  error: z.string().nullable().describe('What went wrong, in a few words; null if nothing did'),
}

export const TestDelivery = z
  .object({
    delivered: z.boolean().describe('Whether the receiver returned a 2xx status'),
    ...attempt,
  })
  .meta({ id: 'TestDelivery', description: 'Response of a receiver to a test' })

export const DeliveryLog = z
  .object({
    subscription_id: z.uuid().describe('ID of the subscription that the deliveries belong to'),
    deliveries: z
      .array(
        z.object({
          delivery_id: z
            .uuid()
            .describe('ID of the delivery, the `idempotency_key` of each attempt'),
          attempt: z.int().describe('Number of the attempt at this delivery, from 1'),
          attempted_at: moment.describe('Time at which the attempt was made'),
          delivered: z.boolean().describe('Whether the receiver accepted the delivery'),
          ...attempt,
          events: z.int().describe('Number of changes in this attempt, delivered or not'),
          cursor: DeliveryCursor.describe(
            'Position after the delivered changes, in the feed or in the audit log',
          ),
        }),
      )
      .describe('Attempts, newest first; the last hundred are kept'),
  })
  .meta({ id: 'DeliveryLog', description: 'The last attempts to deliver to a receiver' })
