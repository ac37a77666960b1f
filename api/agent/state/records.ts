import type { Task as A2aTask } from '@a2a-js/sdk'
import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Account } from '../accounts.ts'
import type { KeptCreative } from '../creatives/creative.ts'
import type { AuditEntry, Plan } from '../governance/plan.ts'
import type { Audience } from '../measurement/audience.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import type { Activation } from '../signals/activations.ts'
import type { KeptKey } from '../signing-keys.ts'
import type { Catalog } from '../tasks/sync-catalogs.ts'
import type { EventSource } from '../tasks/sync-event-sources.ts'
import type { Delivery } from '../webhooks/outbox.ts'
import type { Claim } from './idempotency.ts'

/** Records by their kind. Most are kept by tenant and account. */
export interface Records {
  claim: Claim
  account: Account
  media_buy: MediaBuy
  /** Ids of the media buys of an account. */
  account_buy: string
  /** Ids of media buys by those of their packages. */
  package_buy: string
  creative: KeptCreative
  /** Ids of the accounts that kept a creative last, by its id. */
  creative_owner: string
  /** Pages of previews. */
  preview: string
  /** Drawn pictures, as SVG. */
  picture: string
  activation: Activation
  audience: Audience
  catalog: Catalog
  event_source: EventSource
  /** Scopes in which an event source was declared last, by its id. */
  event_source_owner: string
  /** Times at which events came, by their ids. */
  event: Instant
  feedback: Record<string, unknown>
  plan: Plan
  /** Checks and outcomes of a plan, by their numbers. */
  audit: AuditEntry
  /** Numbers of the last entries, by plan. */
  audit_count: number
  key: KeptKey
  /** Outcomes of messages by A2A. */
  a2a_task: A2aTask
  /** Webhooks that are to be posted. */
  webhook: Delivery
}
