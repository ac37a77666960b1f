import { z } from 'zod'
import { Fault } from './observation.ts'

const text = z.string()

/** A fault in answers: `suggestion` is the advice for its code. */
export const ReportedFault = z
  .looseObject({
    ...Fault.shape,
    suggestion: text.optional().describe('How to fix the issue; absent if there is no advice'),
  })
  .meta({
    id: 'ReportedFault',
    description: 'An issue in a file, with its place and how to fix it',
  })
export type ReportedFault = z.infer<typeof ReportedFault>

const place = z.int().positive().optional()

/** A fault in a file that was sent as text: where it is, as editors count. */
export const PlacedFault = z
  .looseObject({
    ...ReportedFault.shape,
    line: place.describe('Line of the issue, from 1; absent if the file was not sent as text'),
    column: place.describe('Column of the issue in its line, from 1; absent if there is no `line`'),
  })
  .meta({ id: 'PlacedFault', description: 'An issue in a file, with its line and how to fix it' })
export type PlacedFault = z.infer<typeof PlacedFault>

/** Reason why the file of a brand could not be read, or names no brand. */
export const LiveBrandFailure = z
  .looseObject({
    valid: z.literal(false).describe('Always false: the file could not be used'),
    url: text.describe('URL at which the file was requested'),
    status_code: z
      .int()
      .optional()
      .describe('HTTP status of the response; absent if there was none'),
    errors: z.array(ReportedFault).describe('Why the file could not be used; at most 20 issues'),
    warnings: z
      .array(ReportedFault)
      .describe('Issues that would affect only part of the file; at most 20'),
  })
  .meta({
    id: 'LiveBrandFailure',
    description: 'Result of requesting a brand.json that cannot be used',
  })
export type LiveBrandFailure = z.infer<typeof LiveBrandFailure>
