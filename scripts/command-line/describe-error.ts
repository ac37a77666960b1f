import { ZodError } from 'zod'

/** Describes in a sentence what ended a command; of a text that has another form than expected, its first fault. */
export function describeError(error: unknown): string {
  if (!(error instanceof ZodError)) return error instanceof Error ? error.message : String(error)
  const [{ path, message } = { path: [], message: 'it is not valid' }] = error.issues
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  return `what was read has not the expected form: ${place}${message}`
}
