import { z } from 'zod'
import { DeliveryCursor, subscriptionKinds } from '../subscription.ts'

const moment = z.iso.datetime()

export const SubscriptionView = z
  .object({
    subscription_id: z.uuid().describe('Permanent ID of the subscription; each delivery names it'),
    kind: z
      .enum(subscriptionKinds)
      .describe('What is posted: `changes` of the feed, or the `audit` of your organization'),
    url: z.string().describe('URL to which they are posted'),
    event_types: z
      .array(z.string())
      .describe('Types of events to deliver, including patterns; an empty list means all'),
    domains: z
      .array(z.string())
      .describe('Only events about one of these domains, or about one of `agents`, are delivered'),
    agents: z
      .array(z.string())
      .describe('Only events about one of these agents, or about one of `domains`, are delivered'),
    status: z
      .enum(['active', 'failing', 'disabled'])
      .describe('`failing` while failed attempts are retried; `disabled` once retries have ended'),
    created_at: moment.describe('Time at which the receiver repeated the challenge'),
    cursor: DeliveryCursor.describe(
      'Position up to which everything was accepted or did not match, in the feed or in the audit log. Within a minute it also moves past events that do not match. With a position of the feed you can continue from the feed',
    ),
    delivered_at: moment.nullable().describe('Time of the last delivery that was accepted'),
    failing_since: moment
      .nullable()
      .describe('Time of the first failure after the last accepted delivery'),
    failures: z.int().describe('Failed attempts since then'),
    next_attempt_at: moment
      .nullable()
      .describe('Time of the next attempt after a failure; null if none is scheduled'),
    disabled_at: moment.nullable().describe('Time at which deliveries stopped'),
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why it is disabled, in a sentence; null while it is not'),
    signing_secret: z
      .string()
      .optional()
      .describe(
        'Secret (`whsec_…`) that verifies `webhook-signature` (Standard Webhooks); in the response that creates or resumes the subscription',
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
  .meta({ id: 'Subscriptions', description: 'The subscriptions of an organization' })

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
  .meta({ id: 'TestDelivery', description: 'What a receiver returned for a test' })

export const DeliveryLog = z
  .object({
    subscription_id: z.uuid().describe('The subscription whose deliveries these are'),
    deliveries: z
      .array(
        z.object({
          delivery_id: z.uuid().describe('`idempotency_key` of the delivery, in every attempt'),
          attempt: z.int().describe('Number of the attempt at this delivery, from 1'),
          attempted_at: moment.describe('Time at which it was posted'),
          delivered: z.boolean().describe('Whether the receiver accepted it'),
          ...attempt,
          events: z.int().describe('Number of changes in this attempt, delivered or not'),
          cursor: DeliveryCursor.describe('Position after these, in the feed or in the audit log'),
        }),
      )
      .describe('Attempts, newest first; the last hundred are kept'),
  })
  .meta({ id: 'DeliveryLog', description: 'The last attempts to deliver to a receiver' })
