import { countThings } from '../../pipeline/core/counts.ts'
import { countEdits } from '../../pipeline/core/edit-distance.ts'
import { formatMoment, joinWords } from './html/text.tsx'

const OF_FIELD = /^(\w+): (.+)$/s
/** Begins a fault that is said of its field; any other is a sentence of its own. */
const PREDICATE = /^(?:must|is|has|have|cannot|was)\b/
const CHOICE = /^must be one of ([\w., -]+)$/
/** Values of a choice that are named, and the longest text that is compared with them. */
const NAMED_MAX = 6
const COMPARED_CHARS_MAX = 64
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
}

/** Describes a refusal of the API as a sentence to the person who sent a form, with what was entered. */
export function describeRefusal(text: string, sent: object = {}): string {
  const [, field, fault] = OF_FIELD.exec(text) ?? []
  if (field === undefined || fault === undefined) return toSentence(text)
  const entered: unknown = (sent as Record<string, unknown>)[field]
  const [what, example] = wanted[WANTS.exec(fault)?.[1] ?? ''] ?? []
  if (!PREDICATE.test(fault)) return toSentence(fault)
  const label = labels[field] ?? field.replaceAll('_', ' ')
  const [, choices] = CHOICE.exec(fault) ?? []
  if (choices !== undefined && typeof entered === 'string' && entered !== '')
    return `There is no ${label} “${entered}”. ${describeChoices(entered, choices.split(', '))}`
  if (what === undefined || typeof entered !== 'string') return toSentence(`${label} ${fault}`)
  return entered.trim() === ''
    ? `Enter ${what}, such as ${example}.`
    : `“${entered}” is not ${what}. Enter one such as ${example}.`
}

/** Names the values of a choice, those first that are nearest to what was entered. */
function describeChoices(entered: string, choices: readonly string[]): string {
  const text = entered.toLowerCase().slice(0, COMPARED_CHARS_MAX)
  const measure = (choice: string) => countEdits(text, choice) - countShared(text, choice)
  const nearest = choices.toSorted((a, b) => measure(a) - measure(b))
  const rest = nearest.length - NAMED_MAX
  const named = rest > 1 ? nearest.slice(0, NAMED_MAX) : nearest
  return `Choose ${joinWords(rest > 1 ? [...named, countThings(rest, 'other')] : named, 'or')}.`
}

/** Counts the characters with which both texts begin. */
function countShared(text: string, other: string): number {
  const differing = [...text].findIndex((char, i) => char !== other[i])
  return differing === -1 ? text.length : differing
}

function toSentence(text: string): string {
  // Domains and codes at the beginning keep their spelling.
  const isWord = /^[a-z][\w-]*(?:\s|$)/.test(text)
  const first = isWord ? text.charAt(0).toUpperCase() : text.charAt(0)
  const rest = text.slice(1).replace(MOMENT, formatMoment)
  return `${first}${rest}${/[.!?…]$/.test(text) ? '' : '.'}`
}
