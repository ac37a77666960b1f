import { z } from 'zod'
import { tierNames } from '../core/membership.ts'

/** The year 3000: what is later is in other units. */
const LATEST_S = 32_503_680_000

/** What a billing provider, or what translates for it, sends when a subscription changes. */
export const BillingEvent = z.looseObject({
  id: z.string().min(1).max(255),
  type: z.string().meta({
    description: 'subscription.created, .updated or .deleted; others are taken and mean nothing',
  }),
  created: z.number().int().positive().max(LATEST_S).meta({ description: 'unix seconds' }),
  data: z.looseObject({
    organization_id: z.uuid().toLowerCase().optional(),
    status: z.string().optional().meta({
      description: 'active, past_due and trialing count; anything else ends the membership',
    }),
    price_lookup_key: z.string().max(200).nullish().meta({
      description: 'begins with explorer, professional, builder, member, partner or leader',
    }),
    tier: z.enum(tierNames).nullish().meta({ description: 'where the price does not tell' }),
  }),
})
export type BillingEvent = z.infer<typeof BillingEvent>
