import { z } from 'zod'
import { parseDomain } from '../pipeline/core/domain.ts'

/** Accepted from callers that send it; every answer comes from the index. */
export const fresh = z.string().optional().meta({
  description: '`true` asks for a live answer; the index answers all the same',
})

/** A domain as people paste it: a scheme, and all from the first slash on, are dropped. */
export const PastedDomain = z
  .string()
  .overwrite(bare)
  .refine(text => parseDomain(text) !== undefined, {
    error: 'must be a domain name such as acme.example',
  })
  .meta({ examples: ['acme.example'] })

function bare(text: string): string {
  const host = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/\.$/, '')
  return parseDomain(host) ?? host
}

const DIGITS = /^\d{1,15}$/

interface WholeNumber {
  min: number
  max: number
  default: number
  /** A larger number is taken for `max`. */
  clamp?: true
}

/** A whole number in a query string: decimal digits only. */
export function whole({ min, max, default: otherwise, clamp }: WholeNumber) {
  const allowed = clamp ? `a whole number, at least ${min}` : `a whole number from ${min} to ${max}`
  return z
    .unknown()
    .optional()
    .transform((given, ctx): number => {
      if (given === undefined) return otherwise
      const value = typeof given === 'string' && DIGITS.test(given) ? Number(given) : Number.NaN
      if (value >= min && (clamp || value <= max)) return Math.min(value, max)
      ctx.addIssue(`must be ${allowed}`)
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: min, maximum: max, default: otherwise })
}
