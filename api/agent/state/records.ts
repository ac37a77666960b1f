import type { Account } from '../accounts.ts'
import type { KeptCreative } from '../creatives/creative.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import type { Claim } from './idempotency.ts'

/** Records by their kind. Most are kept by tenant and account. */
export interface Records {
  claim: Claim
  account: Account
  media_buy: MediaBuy
  /** Ids of the media buys of an account. */
  account_buy: string
  creative: KeptCreative
  /** Ids of the accounts that kept a creative last, by its id. */
  creative_owner: string
  /** Pages of previews. */
  preview: string
  /** Drawn pictures, as SVG. */
  picture: string
}
