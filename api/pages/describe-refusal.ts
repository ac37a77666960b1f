import { formatMoment } from './html/text.tsx'

const OF_FIELD = /^(\w+): (.+)$/s
/** Begins a fault that is said of its field; any other is a sentence of its own. */
const PREDICATE = /^(?:must|is|has|have|cannot|was)\b/
const CHOICE = /^must be one of /
const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
const WANTS = /^must be (an? domain name|the address of an agent|an email address)/

/** Things to enter, by what the API says a field must be. */
const wanted: Readonly<Record<string, readonly [what: string, example: string]>> = {
  'a domain name': ['a domain', 'acme.example'],
  'the address of an agent': ['the address of an agent', 'https://agent.example/mcp'],
  'an email address': ['an email address', 'ann@acme.example'],
}

/** Names of the forms for fields of the API that have another. */
const labels: Readonly<Record<string, string>> = {
  agent_url: 'agent',
  as_of: 'the time',
  identifier_value: 'property',
  sort: 'sort order',
  url: 'address',
}

/** Finds the field whose value is none of its choices. */
export function findWrongChoice(text: string): string | undefined {
  const [, field, fault = ''] = OF_FIELD.exec(text) ?? []
  return CHOICE.test(fault) ? field : undefined
}

/** Describes a refusal of the API as a sentence to the person who sent a form, with what was entered. */
export function describeRefusal(text: string, sent: object = {}): string {
  const [, field, fault] = OF_FIELD.exec(text) ?? []
  if (field === undefined || fault === undefined) return toSentence(text)
  const entered: unknown = (sent as Record<string, unknown>)[field]
  const [what, example] = wanted[WANTS.exec(fault)?.[1] ?? ''] ?? []
  if (!PREDICATE.test(fault)) return toSentence(fault)
  const label = labels[field] ?? field.replaceAll('_', ' ')
  if (CHOICE.test(fault) && typeof entered === 'string' && entered !== '')
    return `Unknown ${label}: “${entered}”.`
  if (what === undefined || typeof entered !== 'string') return toSentence(`${label} ${fault}`)
  return entered.trim() === ''
    ? `Enter ${what}, such as ${example}.`
    : `“${entered}” is not ${what}. Enter one such as ${example}.`
}

function toSentence(text: string): string {
  // Domains and codes at the beginning keep their spelling.
  const isWord = /^[a-z][\w-]*(?:\s|$)/.test(text)
  const first = isWord ? text.charAt(0).toUpperCase() : text.charAt(0)
  const rest = text.slice(1).replace(MOMENT, formatMoment)
  return `${first}${rest}${/[.!?…]$/.test(text) ? '' : '.'}`
}
