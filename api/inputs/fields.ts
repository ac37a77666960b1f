import { hash } from 'node:crypto'
import { z } from 'zod'
import { type Domain, parseDomain, parsePastedDomain } from '../../pipeline/core/domain.ts'

/** Creates the schema of a switch in a query string: only the word `true` turns it on. */
export function createFlag(description: string) {
  return z
    .unknown()
    .optional()
    .transform(input => input === 'true')
    .meta({ type: 'string', enum: ['true', 'false'], default: 'false', description })
}

/** Reads the web instead of the index. */
export const fresh = createFlag(
  '`true` reads the files now; if that fails, the stored response is returned',
)

/** Accepts `fresh` where it has no effect: clients send it to every lookup. */
export const freshIgnored = z.string().optional().meta({
  deprecated: true,
  description: 'No effect: every response comes from the index',
})

/** A domain as people paste it: the one rule, on every route. */
export const PastedDomain = z
  .string()
  .transform((text, ctx): Domain => {
    const domain = parsePastedDomain(text)
    if (domain !== undefined) return domain
    ctx.addIssue('must be a domain name such as acme.example')
    return z.NEVER
  })
  .meta({
    type: 'string',
    examples: ['acme.example'],
    description: 'Domain; a scheme, a path and a trailing dot are dropped',
  })

const DIGITS = /^\d{1,15}$/

interface WholeNumber {
  description: string
  min: number
  max: number
  default: number
  /** A larger number counts as `max`. */
  clamp?: true
}

/** Creates the schema of a whole number in a query string: decimal digits only. */
export function createWholeNumber({
  description,
  min,
  max,
  default: defaultValue,
  clamp,
}: WholeNumber) {
  const allowed = clamp ? `a whole number, at least ${min}` : `a whole number from ${min} to ${max}`
  return z
    .unknown()
    .optional()
    .transform((input, ctx): number => {
      if (input === undefined) return defaultValue
      const value = typeof input === 'string' && DIGITS.test(input) ? Number(input) : Number.NaN
      if (value >= min && (clamp || value <= max)) return Math.min(value, max)
      ctx.addIssue(`must be ${allowed}`)
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: min, maximum: max, default: defaultValue, description })
}

/** Creates the schema of a page size in items: a larger number means the maximum, and 0 the default. */
export function createPageSize({ defaultSize, max }: { defaultSize: number; max: number }) {
  const description = 'Items per page. Larger values are capped; 0 means the default.'
  return createWholeNumber({
    description,
    min: 0,
    max,
    default: defaultSize,
    clamp: true,
  }).transform(limit => limit || defaultSize)
}

const OFFSET_MAX = 1e9

/** Offset of a page; a page beyond the end of a list is empty. */
export const pageOffset = createWholeNumber({
  description: 'Items to skip; `cursor` is the better way to page through a list',
  min: 0,
  max: OFFSET_MAX,
  default: 0,
  clamp: true,
})

/** The `next_cursor` of a list with numeric positions. */
export const pageCursor = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a `next_cursor` value from a previous response')
  .optional()
  .meta({ description: '`next_cursor` of the previous page; replaces `offset`' })

/** The `next_cursor` of a list of domains: its last one. An empty cursor is the start. */
export const domainCursor = z
  .string()
  .refine(
    text => text === '' || parseDomain(text) === text,
    'must be a `next_cursor` value from a previous response',
  )
  .optional()
  .meta({ description: '`next_cursor` of the previous page' })

const CSV_VALUES_MAX = 100
const NO_VALUES: readonly string[] = []

const Values = z.union([z.string(), z.array(z.string())])

/** A list that is repeated or separated by commas, without its empty values. */
export const List = Values.default('').transform((input): readonly string[] =>
  input === ''
    ? NO_VALUES
    : [input]
        .flat()
        .flatMap(text => text.split(','))
        .map(value => value.trim())
        .filter(value => value !== ''),
)

/** Creates the schema of such a list of at most a hundred values. */
export function createCsv(description: string) {
  return List.transform((values, ctx): readonly string[] => {
    if (values.length > CSV_VALUES_MAX)
      ctx.addIssue(`must not be more than ${CSV_VALUES_MAX} values`)
    return values
  }).meta({ description: `${description}; comma-separated` })
}

/** An instant in ISO 8601: a day, or a day with a time and its zone; its UTC year has four digits. */
export const DateTime = z
  .string()
  .transform((text, ctx): string => {
    const time = ISO.test(text) ? Date.parse(text) : Number.NaN
    const iso = Number.isNaN(time) ? '' : new Date(time).toISOString()
    if (/^\d{4}-/.test(iso)) return iso
    ctx.addIssue('must be a date such as 2026-11-20T03:00:00Z')
    return z.NEVER
  })
  .meta({
    type: 'string',
    examples: ['2026-11-20T03:00:00Z'],
    description: 'ISO 8601 date, or date and time with a time zone',
  })

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

const CURSOR_CHECK_CHARS = 6

/**
 * Encodes a position in a list as an opaque cursor, in base64url. It begins with a hash of both, so that the cursor
 * of another list, or one that was changed, is refused instead of read as a position.
 */
export function encodeCursor(list: string, position: readonly unknown[]): string {
  const digest = hash('sha256', JSON.stringify([list, position]), 'base64url')
  const check = digest.slice(0, CURSOR_CHECK_CHARS)
  return Buffer.from(JSON.stringify([check, ...position])).toString('base64url')
}

/** Decodes a cursor; undefined for a text that `encodeCursor` has not made for this list. */
export function decodeCursor(list: string, text: string): unknown {
  const read = parseJson(Buffer.from(text, 'base64url').toString())
  const position = Array.isArray(read) ? read.slice(1) : []
  return encodeCursor(list, position) === text ? position : undefined
}

/** Creates the schema of a cursor of a list whose positions have this shape; an empty cursor is the start. */
export function createCursor<Position extends z.ZodType>(list: string, position: Position) {
  return z
    .string()
    .default('')
    .transform((text, ctx): z.output<Position> | undefined => {
      if (text === '') return undefined
      const read = position.safeParse(decodeCursor(list, text))
      if (read.success) return read.data
      ctx.addIssue('must be a `cursor` value from a previous response')
      return z.NEVER
    })
    .meta({ description: '`next_cursor` of the previous page' })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Creates the schema of a parameter that may be repeated; empty and duplicate values are ignored. */
export function createRepeated(max: number, description: string) {
  return Values.optional()
    .transform((input = [], ctx): string[] => {
      const values = new Set([input].flat().filter(value => value !== ''))
      if (values.size <= max) return [...values]
      ctx.addIssue(`must be at most ${max} values`)
      return z.NEVER
    })
    .meta({ description })
}

/** Tells that a list is too long, and the way on. */
export function describeTooMany(name: string, max: number): string {
  return `${name}: must be at most ${max} items; send several lists`
}
