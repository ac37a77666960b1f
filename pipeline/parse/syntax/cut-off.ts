import {
  endToken,
  type OpenBracket,
  type Step,
  type SyntaxReading,
  toCloser,
} from './json-tokens.ts'
import { findRepair } from './syntax-repair.ts'

const CLOSERS_SHOWN_MAX = 20
const REMAINDER = 'the rest of the file'

/** Explains a text that ends before its JSON does, by what is missing; undefined for any other fault. */
export function explainCutOff(
  text: string,
  { steps, failed }: SyntaxReading,
): { why: string; offset: number } | undefined {
  const end = text.trimEnd().length
  if (failed === undefined || failed.expected === 'end' || endToken(failed.token) < end)
    return undefined
  const rest = describeRest(failed, steps.at(-1))
  if (rest === undefined || isClosedInside(text, failed, end)) return undefined
  const closers = listMissing(failed.open)
  const lacks = closers === '' ? '' : `, without its closing ${closers}`
  const missing =
    rest === REMAINDER
      ? `${REMAINDER}, up to the closing ${closers}`
      : [rest, closers].filter(part => part !== '').join(' and ')
  const why = `it ends too early${lacks}: add ${missing}, or upload it again if it was cut off`
  return { why, offset: Math.min(failed.token.start, end) }
}

/** Describes what the last value lacks, empty for nothing; undefined for a token that does not begin anything. */
function describeRest({ expected, token }: Step, before: Step | undefined): string | undefined {
  const isName = expected.startsWith('name')
  const isValue = expected === 'value' || expected === 'item or ]'
  if (token.text === '') {
    if (before?.token.text === ',') return REMAINDER
    if (expected === 'colon') return 'a colon, a value'
    return expected === 'value' ? 'a value' : ''
  }
  if (!(isName || isValue) || /^[{}[\],:/]/.test(token.text)) return undefined
  if (isName) return 'the rest of the name, its value'
  return `the rest of the ${token.text.startsWith('"') ? 'string' : 'value'}`
}

function listMissing(innermost: OpenBracket | undefined): string {
  let closers = ''
  for (let open = innermost; open !== undefined; open = open.around) {
    if (closers.length === CLOSERS_SHOWN_MAX) return `${closers}…`
    closers += toCloser(open)
  }
  return closers
}

/** Tells whether a text that ends like a whole file rather lacks a bracket or a quote further up. */
function isClosedInside(text: string, { token }: Step, end: number): boolean {
  if (!/[}\]]\s*$/.test(text)) return false
  // Where a bracket is missing shows in the indentation alone.
  if (token.text === '' && !/\n[ \t]/.test(text)) return false
  const repair = findRepair(text)
  return repair?.isComplete === true && repair.offset < end
}
