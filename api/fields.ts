import { z } from 'zod'
import { parseDomain } from '../pipeline/core/domain.ts'

/** Only the literal `true` asks for it. */
export const fresh = z
  .unknown()
  .optional()
  .transform(given => given === 'true')
  .meta({
    type: 'string',
    enum: ['true', 'false'],
    default: 'false',
    description: '`true` has the files read just now; what is stored answers where that fails',
  })
/** Taken from callers that send it, and without effect. */
export const freshIgnored = z.string().optional().meta({
  description: 'without effect: every answer comes from the index',
})

/** A domain as people paste it: a scheme, and all from the first slash on, are dropped. */
export const PastedDomain = z
  .string()
  .transform((text, ctx): string => {
    const domain = parseDomain(text) ?? parseDomain(hostIn(text))
    if (domain !== undefined) return domain
    ctx.addIssue('must be a domain name such as acme.example')
    return z.NEVER
  })
  .meta({ type: 'string', examples: ['acme.example'] })

function hostIn(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/[.。．｡]$/, '')
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

const VALUES = 100

/** Comma-separated values, at most a hundred; empty ones say nothing. */
export function csv(description: string) {
  return z
    .string()
    .default('')
    .transform((text, ctx) => {
      const values = text
        .split(',')
        .map(value => value.trim())
        .filter(value => value !== '')
      if (values.length > VALUES) ctx.addIssue(`must not be more than ${VALUES} values`)
      return values
    })
    .meta({ description })
}

/** A moment in ISO 8601, a day alone or with a time and its zone; in UTC it is of a year with four digits. */
export const Moment = z
  .string()
  .transform((text, ctx): string => {
    const time = ISO.test(text) ? Date.parse(text) : Number.NaN
    const spelled = Number.isNaN(time) ? '' : new Date(time).toISOString()
    if (/^\d{4}-/.test(spelled)) return spelled
    ctx.addIssue('must be a date such as 2026-11-20T03:00:00Z')
    return z.NEVER
  })
  .meta({ type: 'string', examples: ['2026-11-20T03:00:00Z'] })

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** What an opaque cursor says: its own spelling of values, in base64url. */
export function cursorText(values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** The cursor of a list whose places have this shape; the empty one stands for the beginning. */
export function cursorOf<Place extends z.ZodType>(place: Place) {
  return z
    .string()
    .default('')
    .transform((text, ctx): z.output<Place> | undefined => {
      if (text === '') return undefined
      const read = place.safeParse(parsed(Buffer.from(text, 'base64url').toString()))
      if (read.success) return read.data
      ctx.addIssue('must be the cursor of a page')
      return z.NEVER
    })
    .meta({ description: 'go on after the page that had this `cursor`' })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A switch in a query string: only the word `true` turns it on. */
export const flag = z
  .unknown()
  .optional()
  .transform(given => given === 'true')
  .meta({ type: 'string', enum: ['true'] })

/** A parameter that may be given several times; empty and repeated values do not count. */
export function repeated(most: number) {
  return z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((given = [], ctx): string[] => {
      const values = new Set([given].flat().filter(value => value !== ''))
      if (values.size <= most) return [...values]
      ctx.addIssue(`must be at most ${most} values`)
      return z.NEVER
    })
}
