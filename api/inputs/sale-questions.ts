import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { describeIssue } from '../../pipeline/core/validation-messages.ts'
import type { Identifier } from '../../pipeline/model/documents/index.ts'
import { findShortened, listMisspelled } from '../../pipeline/parse/misspelled-members.ts'
import { parseCsv } from './csv.ts'
import { describeTooMany } from './fields.ts'
import { listedTypes } from './identifier.ts'
import { isNestedDeeper, JSON_LEVELS_MAX } from './nesting.ts'
import { termsInBody, termsInQuery } from './sale.ts'

/** Builds the schema of a text in a question, with faults in words for people who wrote a list. */
const text = (maximum: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') })
    .trim()
    .min(1, 'must not be empty')
    .max(maximum, `must have at most ${maximum} characters`)

/** An agent and what it can sell: a domain, or another identifier with its type. */
const SaleQuestion = z.looseObject({
  agent_url: text(2_048).describe('URL at which the agent is called'),
  domain: text(2_048)
    .optional()
    .describe('Domain whose ads the agent would sell; short for the identifier type `domain`'),
  identifier_type: text(100)
    .meta({ ...listedTypes, description: 'Type of identifier, such as `ios_bundle`' })
    .optional(),
  identifier_value: text(2_048).optional().describe('Identifier to check, such as `com.acme.game`'),
  country: termsInBody.country,
})

const pairs = z.array(SaleQuestion).meta({
  maxItems: limits.authorizationsChecked,
  description:
    'Pairs to check, with one line of the response each. Unknown fields are ignored, but a pair gets an error if a field is misspelled or would limit the check.',
})
const { $schema: _, ...schema } = z.toJSONSchema(z.looseObject({ pairs }), { io: 'input' })

/** The list of questions as JSON, for the documents. Each question is checked by itself. */
export const SaleQuestions = {
  id: 'SaleQuestions',
  description: 'Authorizations to check in one call',
  ...schema,
}

/**
 * A question as it was understood, or why it was not, with what it names; `field` is the one that its identifier was
 * sent in.
 */
export type AskedSale =
  | {
      agent_url: string
      identifier: Identifier
      field: 'domain' | 'identifier_value'
      country: string | undefined
    }
  | ({ fault: string } & NamedSale)

interface NamedSale {
  agent_url?: string | undefined
  identifier_type?: string | undefined
  identifier_value?: string | undefined
}

/** Parses questions sent as CSV or JSON. A list that is none is refused, a faulty question has its fault. */
export function parseSaleQuestions(body: Buffer, contentType: string, most: number): AskedSale[] {
  const written = body.toString('utf8').replace(/^\ufeff/, '')
  const [read] = readers.find(([, type]) => type.test(contentType)) ?? []
  if (read === undefined) {
    refuse('unsupported_media_type', 'the body must be application/json or text/csv')
  }
  const pairs = read(written)
  if (pairs.length === 0) refuse('invalid_request', 'pairs: must contain at least one')
  if (pairs.length > most) refuse('invalid_request', describeTooMany('pairs', most))
  return pairs.map(parseQuestion)
}

const readers = [
  [readJson, /^application\/json\b/i],
  [readRows, /^text\/(?:csv|tab-separated-values)\b/i],
] as const

function readJson(written: string): unknown[] {
  if (isNestedDeeper(written, JSON_LEVELS_MAX)) {
    refuse('invalid_request', `body: is nested more than ${JSON_LEVELS_MAX} levels deep`)
  }
  let sent: unknown
  try {
    sent = JSON.parse(written)
  } catch {
    const isCsv = !/^\s*[[{]/.test(written)
    const wayOn = isCsv ? '; send CSV as text/csv' : ''
    return refuse('invalid_request', `body: is not valid JSON${wayOn}`)
  }
  const pairs = Array.isArray(sent) ? sent : (sent as { pairs?: unknown } | null)?.pairs
  return Array.isArray(pairs) ? pairs : refuse('invalid_request', describeNoList(sent))
}

/** Describes why a body has no list of questions: a misspelled name, none, or another type. */
function describeNoList(sent: unknown): string {
  const names = Object.keys(Object(sent))
  if (names.includes('pairs')) return 'pairs: must be a list'
  const misspelled = names.find(name => findNearestWord(name, ['pairs']) !== undefined)
  return misspelled === undefined
    ? 'pairs: is required'
    : `Unknown field \`${misspelled}\`. Did you mean \`pairs\`?`
}

const columnsByCount: Readonly<Record<number, readonly string[]>> = {
  2: ['agent_url', 'domain'],
  3: ['agent_url', 'identifier_type', 'identifier_value'],
}

/** Reads rows by the names in the first one; without names, as agent and domain, or agent, type and value. */
function readRows(written: string): unknown[] {
  const [first = [], ...others] = parseCsv(written)
  // An address has one of these signs, a name of a column none.
  const isHead = first.length > 0 && !first.some(cell => /[.:/]/.test(cell))
  const names = isHead ? first.map(cell => cell.toLowerCase()) : columnsByCount[first.length]
  const rows = isHead ? others : first.length === 0 ? [] : [first, ...others]
  if (names === undefined || (isHead && !names.includes('agent_url'))) {
    return refuse(
      'invalid_request',
      `body: the first line must name the columns: agent_url, and domain or identifier_type and identifier_value`,
    )
  }
  return rows.map(row =>
    Object.fromEntries(names.flatMap((name, i) => (row[i] ? [[name, row[i]]] : []))),
  )
}

const restrictions = [...Object.keys(termsInQuery), 'as_of']

/** Tells whether a field is meant to restrict a sale. Any other is its owner's: a list may have more columns. */
function isRestriction(name: string): boolean {
  if (Object.hasOwn(SaleQuestion.shape, name)) return false
  return (
    findNearestWord(name, restrictions) !== undefined ||
    restrictions.some(restriction => restriction.startsWith(`${name}_`))
  )
}

const BOTH = 'enter either a domain, or an identifier type and a value, not both'

function parseQuestion(sent: unknown): AskedSale {
  const asked = readQuestion(sent)
  return 'fault' in asked ? { ...findNamed(sent), ...asked } : asked
}

/** Finds what a faulty question names, so that its owner recognizes it: the fields that are valid by themselves. */
function findNamed(sent: unknown): NamedSale {
  const find = (name: keyof typeof SaleQuestion.shape) =>
    SaleQuestion.shape[name].safeParse(Object(sent)[name]).data
  const domain = find('domain')
  return {
    agent_url: find('agent_url'),
    identifier_type: find('identifier_type') ?? (domain && 'domain'),
    identifier_value: find('identifier_value') ?? domain,
  }
}

function readQuestion(sent: unknown): AskedSale {
  const { success, data, error } = SaleQuestion.safeParse(sent, { error: describeIssue })
  const [misspelled] = listMisspelled(SaleQuestion, sent)
  const meant = misspelled ?? (success ? undefined : findShortened(error, sent))
  if (meant !== undefined) {
    return { fault: `Unknown field \`${meant.name}\`. Did you mean \`${meant.meant}\`?` }
  }
  const term = Object.keys(Object(sent)).find(isRestriction)
  if (term !== undefined) {
    return {
      fault: `${term}: is not supported in bulk; use /api/registry/validate/property-authorization`,
    }
  }
  if (!success) {
    const [issue] = error.issues
    return { fault: `${issue?.path.join('.') || 'question'}: ${issue?.message}` }
  }
  const { agent_url, domain, identifier_type, identifier_value, country } = data
  if (domain !== undefined) {
    if (identifier_value !== undefined || (identifier_type ?? 'domain') !== 'domain') {
      return { fault: BOTH }
    }
    return { agent_url, identifier: { type: 'domain', value: domain }, field: 'domain', country }
  }
  if (identifier_type === undefined || identifier_value === undefined) {
    return { fault: 'enter a domain, or both an identifier type and a value' }
  }
  const identifier = { type: identifier_type, value: identifier_value }
  return { agent_url, identifier, field: 'identifier_value', country }
}
