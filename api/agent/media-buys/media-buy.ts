import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Account, BrandRef } from '../accounts.ts'
import type { BoughtTerms } from '../catalogue/products.ts'
import type { CreativeAssignment } from './requests.ts'

declare module '../state/store.ts' {
  interface Records {
    media_buy: MediaBuy
    /** Ids of the media buys of an account. */
    account_buy: string
    /** Ids of media buys by the ids of their packages. */
    package_buy: string
  }
}

/** A period in which a package spends evenly. */
export interface Period {
  from: Instant
  until: Instant
  spend: number
}

export interface Cancellation {
  at: Instant
  reason?: string
}

/** A product in a media buy. */
export interface Package {
  package_id: string
  product_id: string
  pricing_option_id: string
  terms: BoughtTerms
  budget: number
  bid_price?: number
  /** Fields that are stored and returned as sent. */
  shown: Record<string, unknown>
  creative_assignments: CreativeAssignment[]
  /** Creatives to show as soon as they exist. */
  awaited?: CreativeAssignment[]
  /** Its own flight, if it differs from the buy's. */
  start?: Instant
  end?: Instant
  isPaused: boolean
  cancellation?: Cancellation
  /** Its past and planned spending, in the order of time; each update changes the plan. */
  periods: Period[]
  /** Delivery that a test reported, in addition to the periods. */
  reported?: ReportedDelivery[]
}

/** Delivery of a package that a test reported. */
export interface ReportedDelivery {
  at: Instant
  impressions: number
  clicks: number
  spend: number
}

/** One entry of a media buy's history. */
export interface HistoryEntry {
  revision: number
  at: Instant
  action: string
}

/** A stored media buy. Its status is derived from this and the time. */
export interface MediaBuy {
  media_buy_id: string
  /** The account at the time of the purchase. */
  account: Account
  brand: BrandRef
  po_number?: string
  revision: number
  createdAt: Instant
  updatedAt: Instant
  start: Instant
  end: Instant
  isPaused: boolean
  /** The time when each package first had creatives; later changes do not affect it. */
  readyAt?: Instant
  cancellation?: Cancellation
  /** Rejected by the seller before it began. */
  rejection?: Cancellation
  currency: string
  packages: Package[]
  history: HistoryEntry[]
  webhook?: WebhookTarget
}

/** Address to which a caller wants webhooks posted. */
export interface WebhookTarget {
  url: string
  token?: string
  operation_id?: string
}
