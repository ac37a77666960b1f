import { z } from 'zod'

/** Builds the schema of JSON in a text, such as the value of a setting; a fault names the example, where there is one. */
export function buildJsonText(example?: string) {
  return z.string().transform((text, ctx) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      ctx.addIssue(example === undefined ? 'must be JSON' : `must be JSON, such as ${example}`)
      return z.NEVER
    }
  })
}
