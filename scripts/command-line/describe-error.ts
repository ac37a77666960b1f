import { ZodError } from 'zod'
import { findFullPath, isDiskFull } from '../../pipeline/core/disk-full.ts'
import { isDamaged } from '../../pipeline/store/sqlite.ts'
import { toCommandSentence } from './command-sentence.ts'
import { describeNoAccess } from './describe-no-access.ts'

/** Describes in a sentence what ended a command; of a text that has another form than expected, its first fault. */
export function describeError(error: unknown): string {
  return toCommandSentence(describe(error))
}

function describe(error: unknown): string {
  if (isDiskFull(error)) {
    const path = findFullPath(error)
    const place = path === undefined ? '' : ` of ${path}`
    return `the disk${place} is full: free some space, then run this again`
  }
  if (isDamaged(error))
    return `a store is damaged (${error.message}): \`registry verify\` names it, and docs/operate/incidents.md, “A store is damaged or missing”, says what to do`
  if (!(error instanceof ZodError))
    return describeNoAccess(error) ?? (error instanceof Error ? error.message : String(error))
  const [{ path, message } = { path: [], message: 'it is not valid' }] = error.issues
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  return `the input does not have the expected form: ${place}${message}`
}
