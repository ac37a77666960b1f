import { z } from 'zod'

const text = z.string()

export const ValidationResult = z
  .object({
    check: text.describe(
      'Kind of check; `success` if the agent had to carry out the task, or refuse it',
    ),
    passed: z.boolean().describe('Whether the check passed'),
    description: text.describe('What the check shows'),
    path: text
      .optional()
      .describe(
        'Path of the checked value in the response; absent if the check concerns all of it',
      ),
    expected: z.unknown().optional().describe('Expected value; absent if the check passed'),
    actual: z
      .unknown()
      .optional()
      .describe('Actual value, possibly shortened; absent if the check passed'),
  })
  .meta({ id: 'StoryboardCheck', description: 'One check of one response' })
export type ValidationResult = z.infer<typeof ValidationResult>

/** Matches refusals of a caller that the agent does not know. */
const CALLER_REFUSED = /\brefused with (?:UNAUTHORIZED|AUTH_\w+)\b/

/** Tells whether a request that had to be carried out was refused because of who sent it. */
export function isCallerRefused(
  { check, expected, actual }: ValidationResult,
  httpStatus?: number,
): boolean {
  if (check !== 'success' || expected === 'a refusal') return false
  return httpStatus === 401 || CALLER_REFUSED.test(String(actual))
}

/**
 * Tells whether a failed step was refused because of who sent it: by its checks, or by the status of an answer that
 * has no result to check.
 */
export function isStepRefused(failedChecks: readonly ValidationResult[], httpStatus?: number) {
  return failedChecks.length === 0
    ? httpStatus === 401
    : failedChecks.some(check => isCallerRefused(check, httpStatus))
}
