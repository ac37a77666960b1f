import { z } from 'zod'
import { Fault } from './observation.ts'

const text = z.string()

/** A fault as callers are told: `suggestion` is what to do about faults of its code. */
export const ReportedFault = z
  .looseObject({ ...Fault.shape, suggestion: text.optional() })
  .meta({ id: 'ReportedFault', description: 'What is wrong, where, and what to do about it' })
export type ReportedFault = z.infer<typeof ReportedFault>

/** Why the file of a brand could not be read, or does not tell which brand it is. */
export const LiveBrandFailure = z
  .looseObject({
    valid: z.literal(false),
    url: text,
    status_code: z.int().optional(),
    errors: z.array(ReportedFault),
    warnings: z.array(ReportedFault),
  })
  .meta({ id: 'LiveBrandFailure', description: 'What came of asking for the file just now' })
export type LiveBrandFailure = z.infer<typeof LiveBrandFailure>
