import { setImmediate } from 'node:timers/promises'
import { toErrorBody } from '../../pipeline/core/errors.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { describeIssue } from '../../pipeline/core/validation-messages.ts'
import type { CheckedSale } from '../../pipeline/model/responses/authority.ts'
import { findAgent } from '../../pipeline/read/lookups/agents.ts'
import { findDecidingFreshness } from '../../pipeline/read/lookups/deciding-files.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { formatCsv } from '../inputs/csv.ts'
import { explainIdentifierFault } from '../inputs/identifier.ts'
import { AgentUrl, toTerms } from '../inputs/sale.ts'
import type { AskedSale } from '../inputs/sale-questions.ts'
import { chooseBestSale, findCachedSale } from './property-judge.ts'

/** Questions answered before other callers get a turn. */
const AT_ONCE = 100

/** Columns of CSV: members with a plain value. */
const columns = [
  'line',
  'agent_url',
  'identifier_type',
  'identifier_value',
  'authorized',
  'confirmed',
  'publisher_domain',
  'property_id',
  'property_rid',
  'publisher_side',
  'operator_side',
  'operator_reason',
  'state',
  'error',
  'needs',
  'code',
] as const satisfies readonly (keyof Omit<CheckedSale, 'sides' | 'freshness'>)[]

export type CheckedFormat = 'ndjson' | 'csv'

/** Answers questions one after the other, as those at `validate/property-authorization` are, in portions of lines. */
export async function* checkSales(
  reader: Reader,
  questions: readonly AskedSale[],
): AsyncGenerator<CheckedSale[]> {
  for (let start = 0; start < questions.length; start += AT_ONCE) {
    if (start > 0) await setImmediate()
    const portion = questions.slice(start, start + AT_ONCE)
    yield portion.map((question, i) => ({ line: start + i + 1, ...check(reader, question) }))
  }
}

/** Formats answers as JSON lines, or as CSV below a line of names. */
export async function* formatChecked(
  portions: AsyncIterable<readonly CheckedSale[]>,
  format: CheckedFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield formatCsv([columns])
  for await (const portion of portions) {
    yield format === 'csv'
      ? formatCsv(portion.map(answer => columns.map(name => answer[name])))
      : portion.map(answer => `${JSON.stringify(answer)}\n`).join('')
  }
}

function check(reader: Reader, question: AskedSale): Omit<CheckedSale, 'line'> {
  if ('fault' in question) {
    const { fault, ...asked } = question
    return { ...asked, ...toErrorBody('invalid_request', fault) }
  }
  const { agent_url, identifier, field, country } = question
  const asked = {
    agent_url,
    identifier_type: identifier.type,
    identifier_value: identifier.value,
  }
  const agent = AgentUrl.safeParse(agent_url, { error: describeIssue })
  if (!agent.success) {
    const text = `agent_url: ${getFirst(agent.error.issues).message}`
    return { ...asked, ...toErrorBody('invalid_request', text) }
  }
  const fault = explainIdentifierFault(identifier, { type: 'identifier_type', value: field })
  if (fault !== undefined) return { ...asked, ...toErrorBody('invalid_request', fault) }
  const terms = toTerms({ country }, reader.now())
  const { judged, deciding } =
    country === undefined
      ? findCachedSale(reader, identifier, agent.data, terms)
      : chooseBestSale(reader, identifier, findAgent(reader, agent.data), terms)
  const { state } = findDecidingFreshness(reader, deciding)
  return {
    ...asked,
    ...judged,
    publisher_side: judged.sides.publisher,
    freshness: { state },
    state,
  }
}
