import { z } from 'zod'

/** Parses JSON in a text, such as the value of a setting. */
export const JsonText = z.string().transform((text, ctx) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    ctx.addIssue('must be JSON')
    return z.NEVER
  }
})
