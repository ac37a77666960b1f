import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { parseUrl } from '../core/url.ts'
import { AuditCursor } from './accounts/audit-cursor.ts'
import { EnrolledUrl } from './accounts/member.ts'

/** Largest number of event types, of domains and of agents in one subscription. */
export const SUBSCRIPTION_FILTERS_MAX = 100

const id = z.uuid()

/** Kinds of subscriptions, by what they post: changes of the feed, or the audit of its organization. */
export const subscriptionKinds = ['changes', 'audit'] as const
export type SubscriptionKind = (typeof subscriptionKinds)[number]

/** Position after which deliveries begin: an event of the feed, or a change of the audit. */
export const DeliveryCursor = z.union([z.uuid(), AuditCursor], {
  error: 'must be the ID of an event, or a `cursor` of the audit log',
})

/** Address that events are posted to. Treat it as a secret: receivers put tokens into the path. */
export const ReceiverUrl = z
  .string()
  .max(2_000)
  .refine(isReceiver, { error: 'must use https and cannot contain credentials or a fragment' })
  .overwrite(text => parseUrl(text)?.href ?? text)

function isReceiver(text: string): boolean {
  const url = parseUrl(text)
  if (url === undefined || text.includes('#')) return false
  return url.protocol === 'https:' && url.username === '' && url.password === ''
}

const atMost = <Item extends z.ZodType>(item: Item) => z.array(item).max(SUBSCRIPTION_FILTERS_MAX)

/** Filters of a subscription: an event must have one of the types, and concern one of the domains or agents. */
const filters = {
  /** Event types, `*` standing for any characters; empty for all types. */
  event_types: atMost(z.string().min(1).max(64)),
  /** Both empty: events about anything. */
  domains: atMost(Domain),
  agents: atMost(EnrolledUrl),
}
/** Filters of a subscription as they are stored. */
export interface SubscriptionFilters {
  event_types: string[]
  domains: string[]
  agents: string[]
}

/**
 * Operations on subscriptions. Before the API submits a new one, a crawler has posted a challenge to the
 * receiver, and the receiver has echoed it.
 */
export const subscriptionOperations = [
  z.object({
    op: z.literal('subscription.create'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
    url: ReceiverUrl,
    /** Changes where this is absent. */
    kind: z.enum(subscriptionKinds).exactOptional(),
    ...filters,
    cursor: DeliveryCursor,
    created_by: z.string().min(1).max(300),
    /** Most subscriptions that the organization may have, by its tier. */
    most: z.int().nonnegative(),
  }),
  z.object({
    op: z.literal('subscription.delete'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
  }),
  /** Replaces the filters that it names. */
  z.object({
    op: z.literal('subscription.change'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
    ...z.object(filters).partial().shape,
  }),
  /** Resumes deliveries, after the receiver has answered a challenge again. */
  z.object({
    op: z.literal('subscription.resume'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
    /** By whose right an audit is posted from now on. */
    resumed_by: z.string().min(1).max(300).exactOptional(),
  }),
  /** The registry gives up on a receiver. */
  z.object({
    op: z.literal('subscription.disable'),
    subscription_id: id,
    reason: z.string().min(1).max(500),
  }),
] as const

/** A subscription as readers see it. */
export interface Subscription extends SubscriptionFilters {
  subscription_id: string
  org_id: string
  kind: SubscriptionKind
  /** Key or person by whose right an audit is posted; null for changes. */
  granted_by: string | null
  url: string
  cursor: string
  created_at: string
  /** Null while changes are delivered. */
  disabled_at: string | null
  disabled_reason: string | null
}

/** Answer of a receiver to a challenge or a test. */
export interface ReceiverAnswer {
  delivered: boolean
  /** True if it repeated the challenge. */
  isConfirmed: boolean
  status: number | null
  duration_ms: number
  /** Describes what went wrong. */
  error: string | null
}
