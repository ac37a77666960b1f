import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../../pipeline/core/project-root.ts'

const kinds = ['display', 'olv', 'ctv', 'streaming_audio', 'dooh'] as const

/** Facts about a publisher in the form that the demo internet provides; its files say the same. */
const Facts = z.object({
  domain: z.string(),
  name: z.string(),
  topics: z.array(z.string()).describe('Words by which a brief can mention it'),
  countries: z.array(z.string()),
  channels: z.array(z.enum(kinds)),
})

/** A publisher whose inventory the sales tenant offers. */
export interface Publisher extends z.infer<typeof Facts> {
  /** Impressions a day across its whole inventory. */
  dailyImpressions: number
  offers: readonly Offer[]
}

/** A kind of inventory that a publisher sells: each becomes a product. */
export interface Offer {
  kind: (typeof kinds)[number]
  delivery: 'guaranteed' | 'non_guaranteed'
  /** Price of a thousand impressions; the floor price where the price is found by bidding. */
  cpm: number
  currency: string
  /** Ids of the product and its prices, if they are not derived from its kind. */
  ids?: { product: string; pricingOptions: readonly string[] }
}

type Terms = Pick<Publisher, 'dailyImpressions' | 'offers'>

const guaranteed = { delivery: 'guaranteed', currency: 'USD' } as const
const open = { delivery: 'non_guaranteed', currency: 'USD' } as const

/** Terms on which this agent sells for a publisher. */
const terms: Readonly<Record<string, Terms>> = {
  'northlight-daily.example': {
    dailyImpressions: 4_200_000,
    offers: [
      { kind: 'display', cpm: 6, ...open },
      { kind: 'display', cpm: 14, ...guaranteed },
      { kind: 'olv', cpm: 22, ...guaranteed },
    ],
  },
  'harborview-kitchen.example': {
    dailyImpressions: 1_900_000,
    offers: [
      { kind: 'display', cpm: 5, ...open },
      { kind: 'olv', cpm: 18, ...open },
    ],
  },
  'summit-sports.example': {
    dailyImpressions: 6_500_000,
    offers: [
      { kind: 'ctv', cpm: 34, ...guaranteed },
      { kind: 'ctv', cpm: 21, ...open },
      { kind: 'display', cpm: 4, ...open },
    ],
  },
  'driftwood-radio.example': {
    dailyImpressions: 800_000,
    offers: [{ kind: 'streaming_audio', cpm: 12, ...guaranteed }],
  },
  'stonegate-screens.example': {
    dailyImpressions: 300_000,
    offers: [{ kind: 'dooh', cpm: 9, ...guaranteed, currency: 'EUR' }],
  },
  'practice-range.example': {
    dailyImpressions: 1_000_000,
    offers: [
      // The protocol's own tests buy this product by its id.
      {
        kind: 'display',
        cpm: 5,
        ...open,
        ids: { product: 'test-product', pricingOptions: ['test-pricing', 'default'] },
      },
    ],
  },
}

/** Publishers that authorize this agent, if it has terms for them and they have the channel. */
export const publishers: readonly Publisher[] = z
  .array(Facts)
  .parse(JSON.parse(readFileSync(join(projectRoot, 'data/reference-publishers.json'), 'utf8')))
  .flatMap(facts => {
    const { dailyImpressions, offers = [] } = terms[facts.domain] ?? { dailyImpressions: 0 }
    const offered = offers.filter(({ kind }) => facts.channels.includes(kind))
    return offered.length > 0 ? [{ ...facts, dailyImpressions, offers: offered }] : []
  })
