import { z } from 'zod'
import { pushTypes } from '../core/push-types.ts'
import { AuditCursor } from './accounts/audit-cursor.ts'
import { TypedFeedEvent } from './event.ts'
import { OrganizationChange } from './responses/organization.ts'

/** Members that every post to a receiver has. */
const envelope = {
  subscription_id: z.uuid().describe('ID of the subscription whose receiver gets the post'),
  idempotency_key: z.uuid().describe('ID of the post, the same in each attempt'),
  task_id: z.uuid().describe('The same as `idempotency_key`'),
  timestamp: z.iso.datetime().describe('Time of the last event in the post, or of the challenge'),
}

const organization_id = z
  .string()
  .describe('ID of the organization that registered the URL: check that it is yours')

/** Bodies of the posts to a receiver, by what they are about. */
export const pushBodies = {
  events: z
    .object({
      ...envelope,
      task_type: z
        .literal(pushTypes.events)
        .describe('Type of the post, always the same for this kind'),
      status: z.literal('completed').describe('Always `completed`'),
      result: z
        .object({
          events: z.array(TypedFeedEvent).describe('Events in the order of the feed'),
          cursor: z.uuid().describe('Position in the feed after the events'),
        })
        .describe('Events that this post delivers'),
    })
    .meta({ id: 'EventDelivery', description: 'Events that a subscription selects' }),
  audit: z
    .object({
      ...envelope,
      task_type: z
        .literal(pushTypes.audit)
        .describe('Type of the post, always the same for this kind'),
      status: z.literal('completed').describe('Always `completed`'),
      result: z
        .object({
          changes: z.array(OrganizationChange).describe('Changes, earliest first'),
          cursor: AuditCursor.describe('Position in the audit log after the changes'),
        })
        .describe('Changes that this post delivers'),
    })
    .meta({ id: 'AuditDelivery', description: 'Changes in an organization’s audit log' }),
  challenge: z
    .object({
      ...envelope,
      organization_id,
      task_type: z
        .literal(pushTypes.challenge)
        .describe('Type of the post, always the same for this kind'),
      status: z.literal('input-required').describe('Always `input-required`'),
      result: z
        .object({ challenge: z.string().describe('Text that the response must repeat') })
        .describe('What the response must repeat, as `{"challenge": "…"}`'),
    })
    .meta({
      id: 'ReceiverChallenge',
      description: 'A challenge that asks whether the receiver wants the events',
    }),
  test: z
    .object({
      ...envelope,
      organization_id,
      task_type: z
        .literal(pushTypes.test)
        .describe('Type of the post, always the same for this kind'),
      status: z.literal('completed').describe('Always `completed`'),
      result: z
        .object({
          events: z.array(TypedFeedEvent).max(0).describe('Always empty: a test has no events'),
        })
        .describe('Empty result: a test changes nothing'),
    })
    .meta({ id: 'TestPost', description: 'A test that someone in the organization requested' }),
} as const satisfies Record<keyof typeof pushTypes, z.ZodType>
