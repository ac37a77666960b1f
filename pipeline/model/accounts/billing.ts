import { z } from 'zod'
import { tierNames } from '../../core/tiers.ts'

/** The year 3000 in seconds: a later time is in other units. */
const LATEST_S = 32_503_680_000

/** Event of a billing provider, or of a translator for it, about a changed subscription. */
export const BillingEvent = z.looseObject({
  id: z.string().min(1).max(255).describe('ID of the event; a repeated event counts once'),
  type: z.string().meta({
    description:
      'Type of the event: `subscription.created`, `.updated` or `.deleted`; others are accepted and ignored',
  }),
  created: z
    .number()
    .int()
    .positive()
    .max(LATEST_S)
    .meta({ description: 'Time of the event, in Unix seconds' }),
  data: z
    .looseObject({
      organization_id: z
        .uuid()
        .toLowerCase()
        .optional()
        .describe('ID of the organization that pays; an event that names none is ignored'),
      status: z.string().optional().meta({
        description:
          'Status of the subscription: `active`, `past_due` and `trialing` count; anything else ends the membership',
      }),
      price_lookup_key: z.string().max(200).nullish().meta({
        description:
          'Lookup key of the price, which begins with explorer, professional, builder, member, partner or leader',
      }),
      tier: z
        .enum(tierNames)
        .nullish()
        .meta({ description: 'Membership tier; needed if `price_lookup_key` does not name one' }),
    })
    .describe('The subscription after the event'),
})
export type BillingEvent = z.infer<typeof BillingEvent>
