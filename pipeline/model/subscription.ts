import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { parseUrl } from '../core/url.ts'
import { EnrolledUrl } from './member.ts'

/** Most event filters, domains and agents of one subscription. */
export const SUBSCRIPTION_FILTERS_MAX = 100

const id = z.uuid()

/** Address that changes are posted to. The path may be a secret of the receiver. */
export const ReceiverUrl = z
  .string()
  .max(2_000)
  .refine(isReceiver, { error: 'must be an https address without credentials and #' })
  .overwrite(text => parseUrl(text)?.href ?? text)

function isReceiver(text: string): boolean {
  const url = parseUrl(text)
  if (url === undefined || text.includes('#')) return false
  return url.protocol === 'https:' && url.username === '' && url.password === ''
}

const atMost = <Item extends z.ZodType>(item: Item) => z.array(item).max(SUBSCRIPTION_FILTERS_MAX)

/** Filter of a subscription: events of these types that concern one of the domains or agents. */
const about = {
  /** Types and patterns of types; none means all. */
  event_types: atMost(z.string().min(1).max(64)),
  /** None of both means everything. */
  domains: atMost(Domain),
  agents: atMost(EnrolledUrl),
}

/**
 * Operations on subscriptions. A new one has answered its challenge: the API asks a crawler before it
 * submits.
 */
export const subscriptionOperations = [
  z.object({
    op: z.literal('subscription.create'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
    url: ReceiverUrl,
    ...about,
    /** Event after which deliveries begin. */
    cursor: id,
    created_by: z.string().min(1).max(300),
    /** Subscriptions that the organization may have. */
    most: z.int().nonnegative(),
  }),
  z.object({
    op: z.literal('subscription.delete'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
  }),
  /** Deliveries go on; the receiver has answered a challenge again. */
  z.object({
    op: z.literal('subscription.resume'),
    subscription_id: id,
    org_id: z.string().min(1).max(300),
  }),
  /** The registry gives up on a receiver. */
  z.object({
    op: z.literal('subscription.disable'),
    subscription_id: id,
    reason: z.string().min(1).max(500),
  }),
] as const

/** A subscription as the serving store holds it. */
export interface Subscription {
  subscription_id: string
  org_id: string
  url: string
  event_types: string[]
  domains: string[]
  agents: string[]
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
