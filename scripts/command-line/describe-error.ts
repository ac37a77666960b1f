import { ZodError } from 'zod'
import { isDiskFull } from '../../pipeline/core/disk-full.ts'
import { toCommandSentence } from './command-sentence.ts'
import { describeNoAccess } from './describe-no-access.ts'

/** Describes in a sentence what ended a command; of a text that has another form than expected, its first fault. */
export function describeError(error: unknown): string {
  return toCommandSentence(describe(error))
}

function describe(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full: free some space, then run this again'
  if (!(error instanceof ZodError))
    return describeNoAccess(error) ?? (error instanceof Error ? error.message : String(error))
  const [{ path, message } = { path: [], message: 'it is not valid' }] = error.issues
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  return `the input does not have the expected form: ${place}${message}`
}
