import { formatBytes } from '../../pipeline/core/counts.ts'
import { toSentence } from '../../pipeline/core/error-sentence.ts'
import { formatMoment, toContractions } from './html/text.tsx'

/** Matches what the API says of a field; any other refusal is shown as it is. */
const OF_FIELD = /^`(\w+)` (.+)$/s
const CHOICE = /^must be (?:one of |(?!true or false)[\w.-]+ or [\w.-]+(?:\.|$))/
const TOO_LARGE = /^the body may have at most (\d+) bytes/i
const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
const WANTS =
  /^must be (an? domain name|an agent URL|an email address|an https URL on the public internet|(?:a domain |an endpoint )?on the public internet|a date and time)/

/** Things to enter, by what the API says a field must be. */
const wanted: Readonly<Record<string, readonly [what: string, valid: string, example: string]>> = {
  'a domain name': ['a domain', 'a valid domain', 'acme.example'],
  'an agent URL': ['a URL', 'an agent URL', 'https://agent.example/mcp'],
  'on the public internet': ['a URL', 'on the public internet', 'https://sales.acme.example/mcp'],
  'a domain on the public internet': ['a domain', 'on the public internet', 'acme.example'],
  'an endpoint on the public internet': [
    'a URL',
    'on the public internet',
    'https://acme.example/changes',
  ],
  'an https URL on the public internet': [
    'a URL',
    'an https URL on the public internet',
    'https://login.acme.example/token',
  ],
  'a date and time': ['a date and time', 'a valid time', '2026-01-31T09:00:00Z, or a date'],
  'an email address': ['an email address', 'a valid email address', 'ann@acme.example'],
}

/** Names of the forms for fields of the API that have another. */
const labels: Readonly<Record<string, string>> = {
  agent_url: 'agent',
  as_of: 'the time',
  identifier_value: 'property',
  pairs: 'the list',
  sort: 'sort order',
  url: 'URL',
}

/** Names one of what a field holds, unless its label says which: `a name`. */
const toIndefinite = (label: string): string =>
  label.startsWith('the ') ? label : `${/^[aeio]/.test(label) ? 'an' : 'a'} ${label}`

/** Finds the field whose value is none of its choices. */
export function findWrongChoice(text: string): string | undefined {
  const [, field, fault = ''] = OF_FIELD.exec(text) ?? []
  return CHOICE.test(fault) ? field : undefined
}

/** Describes that what a person entered is not a domain. */
export function describeWrongDomain(entered: string): string {
  return describeRefusal('`domain` must be a domain name', { domain: entered })
}

const SENT_BEFORE = /^this Idempotency-Key (?:was used|created)/i

/** Describes a refusal of the API as a sentence to the person who sent a form, with what was entered. */
export function describeRefusal(text: string, sent: object = {}): string {
  if (SENT_BEFORE.test(text))
    return 'This form was already sent, and what it created is shown only once. To create another, send it again.'
  const [, field, fault] = OF_FIELD.exec(text) ?? []
  const [, bytesMax] = TOO_LARGE.exec(text) ?? []
  if (bytesMax !== undefined)
    return `What you sent is too large: it can have at most ${formatBytes(Number(bytesMax))}.`
  if (field === undefined || fault === undefined) return toPageSentence(toSentence(text))
  const entered: unknown = (sent as Record<string, unknown>)[field]
  const [what, valid, example] = wanted[WANTS.exec(fault)?.[1] ?? ''] ?? []
  const label = labels[field] ?? field.replaceAll('_', ' ')
  if (/^must not be empty\.?$/.test(fault)) return `Enter ${toIndefinite(label)}.`
  if (CHOICE.test(fault) && typeof entered === 'string' && entered !== '')
    return `Unknown ${label}: “${entered}”.`
  if (fault.startsWith('must use https and cannot contain'))
    return 'Enter an https URL without credentials or a fragment, such as https://acme.example/changes.'
  if (fault.startsWith('must not be a public suffix') && typeof entered === 'string')
    return `“${entered}” is a public suffix. Enter a domain below it, such as acme.${entered.replace(/^.*\/\/|\/.*$/g, '')}.`
  if (what === undefined || typeof entered !== 'string')
    return toPageSentence(toSentence(`${label} ${fault}`))
  return entered.trim() === ''
    ? `Enter ${what}, such as ${example}.`
    : `“${entered}” isn’t ${valid}. Enter ${what} such as ${example}.`
}

/** Writes a refusal of the API in the voice of pages. */
const toPageSentence = (text: string): string => toContractions(text.replace(MOMENT, formatMoment))
