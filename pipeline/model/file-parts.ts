import { z } from 'zod'
import { isLonger } from '../core/count-characters.ts'
import { parseUrl } from '../core/url.ts'

/** Parts of an adagents.json or a brand.json, in the shape that the formats give them. */

export const text = z.string()

/** Creates the schema of a text of at most so many characters. */
export const atMost = (maximum: number) =>
  text.check(({ value, issues }) => {
    if (!isLonger(value, maximum)) return
    issues.push({ code: 'too_big', origin: 'string', maximum, inclusive: true, input: value })
  })

/** Creates the schema of a text that is not blank and has at most so many characters. */
export const filled = (maximum: number) => atMost(maximum).min(1)

export const BareDomain = text.regex(
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
  'must be a bare domain name in lowercase, such as acme.example',
)

/** The id of a property, or one of its tags. */
export const Slug = text.regex(
  /^[a-z0-9_]+$/,
  'may contain only lowercase letters, digits and _: use a name such as "my_site"',
)

export const SignalTag = text.regex(
  /^[a-z0-9_-]+$/,
  'may contain only lowercase letters, digits, _ and -: use a name such as "my-site"',
)

/** A URI in the spelling of RFC 3986: non-ASCII and reserved characters are escaped. */
export const Uri = text
  .refine(value => /^[a-z][a-z0-9+.-]*:\/\//i.test(value), {
    error: 'must be a full address, such as https://acme.example/logo.png',
    abort: true,
  })
  .refine(
    value =>
      /^[^:]+:\/\/([\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})+(#([\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?$/i.test(
        value,
      ) && parseUrl(value) !== undefined,
    'must be an address such as https://acme.example/, with spaces and non-ASCII characters percent-encoded',
  )

export const HttpsUri = Uri.refine(
  value => value.startsWith('https://'),
  'must start with https://',
)

export const EmailAddress = text.regex(
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i,
  'must be an email address: use an address such as ads@acme.example',
)

/** A code of ISO 3166-1 in form, assigned or not. */
export const Country = text.regex(
  /^[A-Z]{2}$/,
  'must be a two-letter country code: use one such as US',
)

export const HexColor = text.regex(
  /^#[0-9A-Fa-f]{6}$/,
  'must be a hex color: write it as in #1A2B3C',
)

/** Roles of people in a collection. */
export const talentRoles = [
  'host',
  'guest',
  'creator',
  'cast',
  'narrator',
  'producer',
  'correspondent',
  'commentator',
  'analyst',
] as const

const moment = z.iso.datetime({ offset: true }).regex(/:\d\d:\d\d/)

/** A date and time of RFC 3339: its letters may be lowercase, and its minute may end with a leap second. */
export const DateTime = text.refine(
  value => moment.safeParse(value.toUpperCase().replace(':59:60', ':59:59')).success,
  'must be a date and time such as 2026-01-31T09:00:00Z',
)

/** A list that is not empty. */
export const nonEmptyList = <Item extends z.ZodType>(item: Item) => z.array(item).min(1)

/** Creates the schema of a list without duplicates. */
export const uniqueList = <Item extends z.ZodType>(item: Item, least = 1) =>
  z
    .array(item)
    .min(least)
    .refine(list => new Set(list.map(item => JSON.stringify(item))).size === list.length, {
      error: 'lists a value twice: keep one of them',
      params: { code: 'repeated' },
    })
