import { z } from 'zod'
import { toAgentUrlKey } from '../../pipeline/core/agent-url.ts'
import type { Instant } from '../../pipeline/core/clock.ts'
import { toAssignedCountry } from '../../pipeline/core/country.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { describeIssue } from '../../pipeline/core/validation-messages.ts'
import { delegationTypes } from '../../pipeline/model/documents/index.ts'
import type { Terms } from '../../pipeline/resolve/sale-terms.ts'
import { createFlag } from './fields.ts'

const TERM_VALUES_MAX = 100
const VALUE_CHARS_MAX = 500
const URL_CHARS_MAX = 2_048

/** The address of an agent. Addresses are compared by their key; `*` matches no agent. */
export const AgentUrl = z
  .string()
  .max(URL_CHARS_MAX)
  .transform((text, ctx): string => {
    const key = parseAgentKey(text)
    if (key !== undefined) return key
    ctx.addIssue(explainNoAgentUrl(text))
    return z.NEVER
  })
  .meta({
    type: 'string',
    examples: ['https://agent.example/mcp'],
    description: 'URL of the agent; equivalent spellings are accepted',
  })

function parseAgentKey(text: string): string | undefined {
  return text.trim() === '*' ? '*' : toAgentUrlKey(text)
}

/** A scheme that no agent has; one with http is an address already. */
const OTHER_SCHEME = /^\s*[a-z][a-z\d+.-]*:\/\//i

/** Explains that a text is not the address of an agent; one with a wrong scheme, or without any, is suggested with https. */
export function explainNoAgentUrl(text: string): string {
  const completed = completeAgentAddress(text.replace(OTHER_SCHEME, ''))
  const isMeant = completed.length <= URL_CHARS_MAX && toAgentUrlKey(completed) !== undefined
  return isMeant
    ? `must ${OTHER_SCHEME.test(text) ? 'begin with https://' : 'have a scheme'}. Did you mean ${completed}?`
    : 'must be an agent URL such as https://agent.example/mcp'
}

/** Completes the address of an agent as pages show it, without its scheme; any other text is returned as it is. */
export function completeAgentAddress(text: string): string {
  const trimmed = text.trim()
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(trimmed) ? `https://${trimmed}` : text
}

/** The address of an agent as a person types or copies it, so also without its scheme. */
export const TypedAgentUrl = z.string().transform(completeAgentAddress).pipe(AgentUrl)

/** ISO country code; a code with another name (`UK`) is refused, since it would silently match nothing. */
const Country = z
  .string()
  .overwrite(text => text.trim().toUpperCase())
  .refine(code => toAssignedCountry(code) === code, {
    error: 'must be a two-letter country code, such as GB',
  })

const EvaluationTime = z.iso
  .datetime({ offset: true, error: 'must be a date and time such as 2026-01-31T09:00:00Z' })
  .meta({
    description: 'Evaluate grant periods at this time; everything else is current',
  })

const value = z.string().min(1).max(VALUE_CHARS_MAX)
const values = z.array(value).min(1).max(TERM_VALUES_MAX)

/** Values that are repeated or separated by commas. */
const list = z
  .union([z.string(), z.array(z.string())])
  .transform(input => (Array.isArray(input) ? input : [input]).flatMap(text => text.split(',')))
  .pipe(values)

const delegation_type = z
  .enum(delegationTypes)
  .optional()
  .describe('Only grants of this delegation type; any by default')
const country = Country.optional().describe('Country of the sale, as a two-letter code')
const at = EvaluationTime.optional()

export const explain = createFlag(
  '`true` adds `evidence`: the files, entries and rules behind the verdict',
)

export const termsInQuery = {
  delegation_type,
  country,
  at,
  placement_ids: list.optional().describe('Placements in the sale, separated by commas'),
  placement_tags: list.optional().describe('Tags of placements in the sale, separated by commas'),
  collection_ids: list.optional().describe('Collections in the sale, separated by commas'),
}

export const termsInBody = {
  delegation_type,
  country,
  at,
  placement_ids: values.optional().describe('Placements in the sale, by ID'),
  placement_tags: values.optional().describe('Placements in the sale, by tag'),
  collection_ids: values.optional().describe('Collections in the sale, by ID'),
}

type SaleQuestion = Omit<Terms, 'at' | 'anywhere'> & { at?: string | undefined }

/** Tells whether a question names only agent and property: its answer can be looked up by key. */
export function hasNoTerms(question: SaleQuestion & { explain?: boolean }): boolean {
  return (
    question.explain !== true &&
    question.at === undefined &&
    question.country === undefined &&
    question.delegation_type === undefined &&
    question.placement_ids === undefined &&
    question.placement_tags === undefined &&
    question.collection_ids === undefined
  )
}

/** Converts a question to terms, as of `now` if it names no time. `anywhere`: restrictions that it names nothing for do not apply. */
export function toTerms(question: SaleQuestion, now: Instant, { anywhere = false } = {}): Terms {
  return {
    delegation_type: question.delegation_type,
    country: question.country,
    placement_ids: question.placement_ids,
    placement_tags: question.placement_tags,
    collection_ids: question.collection_ids,
    at: question.at === undefined ? now : Date.parse(question.at),
    anywhere,
  }
}

/** Parses an agent's address to its key; the answer repeats the parameter as sent. */
export function parseAgent(name: string, text: string): string {
  const key = text.length > URL_CHARS_MAX ? undefined : parseAgentKey(text)
  if (key !== undefined) return key
  const read = AgentUrl.safeParse(text, { error: describeIssue })
  if (read.success) return read.data
  return refuse('invalid_request', `${name}: ${getFirst(read.error.issues).message}`)
}

/** Sentence that the descriptions of several endpoints share. */
export const sidesSentence =
  '`sides` has the verdict of each file; `confirmed` means that both agree. '
export const termsSentence =
  'A grant limited to countries, placements or collections counts only if the request names them; `needs` names the first that is missing. `at` sets only when grants must be valid.'
