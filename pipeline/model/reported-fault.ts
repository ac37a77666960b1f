import { z } from 'zod'
import { Fault } from './observation.ts'

const text = z.string()

/** A fault in answers: `suggestion` is the advice for its code. */
export const ReportedFault = z
  .looseObject({
    ...Fault.shape,
    suggestion: text.optional().describe('What to do about it; absent where nothing is known'),
  })
  .meta({ id: 'ReportedFault', description: 'What is wrong, where, and what to do about it' })
export type ReportedFault = z.infer<typeof ReportedFault>

/** Reason why the file of a brand could not be read, or names no brand. */
export const LiveBrandFailure = z
  .looseObject({
    valid: z.literal(false).describe('Always false: the file could not be used'),
    url: text.describe('Address at which the file was looked for'),
    status_code: z.int().optional().describe('HTTP status of the answer; absent without one'),
    errors: z.array(ReportedFault).describe('Why the file could not be used, 20 at most'),
    warnings: z.array(ReportedFault).describe('Faults that would lose only a part, 20 at most'),
  })
  .meta({ id: 'LiveBrandFailure', description: 'What came of asking for the file just now' })
export type LiveBrandFailure = z.infer<typeof LiveBrandFailure>
