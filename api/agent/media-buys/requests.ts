import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import { CallersId } from '../accounts.ts'
import { Creative } from '../creatives/creative.ts'
import { FormatId } from '../tasks/format-id.ts'

const DateTime = z.iso
  .datetime({ offset: true })
  .transform((text): Instant => Date.parse(text))
  .describe('A time with a time zone')

export const StartTime = z
  .union([z.literal('asap'), z.iso.datetime({ offset: true })])
  .transform((text): Instant | 'asap' => (text === 'asap' ? text : Date.parse(text)))
  .describe('asap, or a time with a time zone')

export const EndTime = DateTime

export const CreativeAssignment = z.looseObject({
  creative_id: CallersId,
  weight: z.number().min(0).max(100).optional(),
  placement_ids: z.array(CallersId).min(1).max(100).optional(),
})
export type CreativeAssignment = z.infer<typeof CreativeAssignment>

/** Terms of a package that can be set at the purchase and changed later. */
const PackageTerms = z.looseObject({
  budget: z.number().min(0).optional().describe('In the currency of the pricing option'),
  bid_price: z.number().min(0).optional().describe('Highest price for a thousand impressions'),
  pacing: z.enum(['even', 'asap', 'front_loaded']).optional(),
  impressions: z.number().min(0).optional(),
  start_time: DateTime.optional(),
  end_time: DateTime.optional(),
  paused: z.boolean().optional(),
  targeting_overlay: z.looseObject({}).optional(),
  optimization_goals: z.array(z.looseObject({})).min(1).max(20).optional(),
  creative_assignments: z.array(CreativeAssignment).max(100).optional(),
  creatives: z.array(Creative).max(100).optional().describe('Creatives to save and assign'),
})
export type PackageTerms = z.infer<typeof PackageTerms>

/** Terms of measurement that a buyer proposes. */
const MeasurementTerms = z.looseObject({
  billing_measurement: z
    .looseObject({
      measurement_window: z.string().max(100).optional(),
      max_variance_percent: z.number().min(0).max(100).optional(),
    })
    .optional(),
})

export const PackageRequest = PackageTerms.extend({
  product_id: CallersId,
  pricing_option_id: CallersId,
  budget: z.number().min(0).describe('In the currency of the pricing option'),
  format_ids: z.array(FormatId).min(1).max(50).optional(),
  measurement_terms: MeasurementTerms.optional(),
  performance_standards: z.array(z.looseObject({})).min(1).max(20).optional(),
  agency_estimate_number: z.string().max(200).optional(),
})
export type PackageRequest = z.infer<typeof PackageRequest>

export const PackageChange = PackageTerms.extend({
  package_id: CallersId,
  canceled: z.literal(true).optional().describe('Cancels the package for good'),
  cancellation_reason: z.string().max(500).optional(),
})
export type PackageChange = z.infer<typeof PackageChange>

export const PushNotificationConfig = z
  .looseObject({
    url: z.string().max(2000).describe('Where a signed webhook is posted to'),
    token: z.string().max(500).optional(),
    operation_id: z.string().max(500).optional(),
    authentication: z.looseObject({ schemes: z.array(z.string()).optional() }).optional(),
  })
  .describe('Where to tell of the completion, and of the start of the flight')

/** A change of a buy; fields that are left out stay. */
export const MediaBuyChange = z.object({
  revision: z
    .number()
    .int()
    .optional()
    .describe('The revision that was read: refused if the buy has changed since'),
  paused: z.boolean().optional().describe('Pause or resume; before the start it will start paused'),
  canceled: z.literal(true).optional().describe('Cancel the buy for good'),
  cancellation_reason: z.string().max(500).optional(),
  start_time: StartTime.optional(),
  end_time: EndTime.optional(),
  packages: z.array(PackageChange).min(1).max(100).optional().describe('Changes of packages'),
  new_packages: z.array(PackageRequest).min(1).max(100).optional().describe('More packages'),
  push_notification_config: PushNotificationConfig.optional(),
})
export type MediaBuyChange = z.infer<typeof MediaBuyChange>
