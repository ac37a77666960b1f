/** A publisher whose inventory the sales tenant offers. */
export interface Publisher {
  domain: string
  name: string
  /** Words that a brief may use for it. */
  topics: readonly string[]
  countries: readonly string[]
  /** Impressions a day over all that it offers. */
  dailyImpressions: number
  offers: readonly Offer[]
}

/** One way to buy from a publisher: each becomes a product. */
export interface Offer {
  kind: 'display' | 'olv' | 'ctv' | 'streaming_audio' | 'dooh'
  delivery: 'guaranteed' | 'non_guaranteed'
  /** Price of a thousand impressions; the least one where the price is found by bidding. */
  cpm: number
  currency: string
  /** Ids of the product and its prices, where they are not made of what it is. */
  ids?: { product: string; pricingOptions: readonly string[] }
}

const guaranteed = { delivery: 'guaranteed', currency: 'USD' } as const
const open = { delivery: 'non_guaranteed', currency: 'USD' } as const

/** Publishers that let this agent sell for them: invented ones, like their domains. */
export const publishers: readonly Publisher[] = [
  {
    domain: 'northlight-daily.example',
    name: 'Northlight Daily',
    topics: ['news', 'politics', 'business', 'finance'],
    countries: ['US', 'CA'],
    dailyImpressions: 4_200_000,
    offers: [
      { kind: 'display', cpm: 6, ...open },
      { kind: 'display', cpm: 14, ...guaranteed },
      { kind: 'olv', cpm: 22, ...guaranteed },
    ],
  },
  {
    domain: 'harborview-kitchen.example',
    name: 'Harborview Kitchen',
    topics: ['food', 'cooking', 'recipes', 'home', 'family'],
    countries: ['US', 'GB', 'AU'],
    dailyImpressions: 1_900_000,
    offers: [
      { kind: 'display', cpm: 5, ...open },
      { kind: 'olv', cpm: 18, ...open },
    ],
  },
  {
    domain: 'summit-sports.example',
    name: 'Summit Sports',
    topics: ['sports', 'football', 'outdoor', 'fitness', 'running'],
    countries: ['US', 'GB', 'DE'],
    dailyImpressions: 6_500_000,
    offers: [
      { kind: 'ctv', cpm: 34, ...guaranteed },
      { kind: 'ctv', cpm: 21, ...open },
      { kind: 'display', cpm: 4, ...open },
    ],
  },
  {
    domain: 'driftwood-radio.example',
    name: 'Driftwood Radio',
    topics: ['music', 'podcast', 'culture', 'commute'],
    countries: ['US', 'FR'],
    dailyImpressions: 800_000,
    offers: [{ kind: 'streaming_audio', cpm: 12, ...guaranteed }],
  },
  {
    domain: 'stonegate-screens.example',
    name: 'Stonegate Screens',
    topics: ['city', 'travel', 'airport', 'shopping', 'retail'],
    countries: ['GB', 'DE', 'FR'],
    dailyImpressions: 300_000,
    offers: [{ kind: 'dooh', cpm: 9, ...guaranteed, currency: 'EUR' }],
  },
  {
    domain: 'practice-range.example',
    name: 'Practice Range',
    topics: ['rehearsal'],
    countries: ['US'],
    dailyImpressions: 1_000_000,
    offers: [
      // The protocol's own tests buy this product without looking for one.
      {
        kind: 'display',
        cpm: 5,
        ...open,
        ids: { product: 'test-product', pricingOptions: ['test-pricing', 'default'] },
      },
    ],
  },
]
