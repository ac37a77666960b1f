import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Account, BrandRef } from '../accounts.ts'
import type { BoughtTerms } from '../catalogue/products.ts'
import type { CreativeAssignment } from './requests.ts'

declare module '../state/store.ts' {
  interface Records {
    media_buy: MediaBuy
    /** Ids of the media buys of an account. */
    account_buy: string
    /** Ids of media buys by those of their packages. */
    package_buy: string
  }
}

/** A span of time in which a package spends evenly. */
export interface Period {
  from: Instant
  until: Instant
  spend: number
}

export interface Cancellation {
  at: Instant
  reason?: string
}

/** One product bought in a media buy. */
export interface Package {
  package_id: string
  product_id: string
  pricing_option_id: string
  terms: BoughtTerms
  budget: number
  bid_price?: number
  /** Fields that are kept and shown as they were sent. */
  shown: Record<string, unknown>
  creative_assignments: CreativeAssignment[]
  /** Creatives that it shall show once they are there. */
  awaited?: CreativeAssignment[]
  /** Its own flight, where it is not that of the buy. */
  start?: Instant
  end?: Instant
  isPaused: boolean
  cancellation?: Cancellation
  /** Its spending, past and planned, in the order of time; the plan changes with each update. */
  periods: Period[]
  /** Delivery that a test reported, besides that of the periods. */
  reported?: ReportedDelivery[]
}

/** Delivery of a package as a test reported it. */
export interface ReportedDelivery {
  at: Instant
  impressions: number
  clicks: number
  spend: number
}

/** One thing that happened to a media buy. */
export interface HistoryEntry {
  revision: number
  at: Instant
  action: string
}

/** A media buy as it is kept. Its status is not: that follows from this and the time. */
export interface MediaBuy {
  media_buy_id: string
  /** The account as it was when it bought. */
  account: Account
  brand: BrandRef
  po_number?: string
  revision: number
  createdAt: Instant
  updatedAt: Instant
  start: Instant
  end: Instant
  isPaused: boolean
  /** The time when each package first had creatives; it stays, whatever is added or taken away later. */
  readyAt?: Instant
  cancellation?: Cancellation
  /** Refused by the seller before it began. */
  rejection?: Cancellation
  currency: string
  packages: Package[]
  history: HistoryEntry[]
  webhook?: WebhookTarget
}

/** Address at which a caller wants to be told. */
export interface WebhookTarget {
  url: string
  token?: string
  operation_id?: string
}
