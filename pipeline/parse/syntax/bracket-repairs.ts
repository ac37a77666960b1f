import { endToken, type OpenBracket, type Step, toCloser } from './json-tokens.ts'
import { insertAt, type Repair, removeAt } from './text-edit.ts'

/** Tokens before the fault between which a bracket may be missing. */
const TOKENS_BACK = 40

/** Lists closing brackets that are missing to judge by indentation: what follows is indented no more than their line. */
export function* listOutdented(text: string, steps: Step[], failed: Step): Generator<Repair> {
  for (const [at, { token, open }] of [...steps, failed].entries()) {
    const before = steps[at - 1]
    if (open === undefined || before === undefined) continue
    const isFirst = text.slice(endToken(before.token), token.start).includes('\n')
    if (!isFirst || !text.slice(open.token.start, token.start).includes('\n')) continue
    const isItsOwn = token.text === toCloser(open) || token.text === ''
    const indent = measureIndent(text, open.token.start) - measureIndent(text, token.start)
    if (isItsOwn ? indent > 0 : indent >= 0) yield closeBefore(text, steps, open, at)
  }
}

/** Lists closing brackets that are missing, or another bracket, near a fault; with a comma behind where that is missing too. */
export function* listClosers(
  text: string,
  steps: Step[],
  failed: Step,
  comma = '',
): Generator<Repair> {
  for (let { open } = failed; open !== undefined; open = open.around) {
    const earliest = Math.max(steps.length - TOKENS_BACK, 1)
    for (let at = steps.length; at >= earliest; at--) {
      if ((steps[at - 1]?.token.start ?? 0) < open.token.start) break
      yield closeBefore(text, steps, open, at, comma)
    }
    if (comma === '' && /^[}\]]$/.test(failed.token.text) && failed.token.text !== toCloser(open))
      yield {
        ...insertAt(
          failed.token.start,
          toCloser(open),
          `${describeOpen(text, open)} ends with ${toCloser(open)}, not ${failed.token.text}: write ${toCloser(open)} instead`,
        ),
        remove: 1,
      }
  }
}

/** Lists the places of an opening bracket that may be missing: near the fault, and where the value around it begins. */
export function* listOpeners(steps: Step[], failed: Step): Generator<Repair> {
  const near = [failed, ...steps.slice(-TOKENS_BACK).reverse()]
  // The list of a member may begin with long items.
  const value = steps.findLast(({ expected, open }) => expected === 'value' && open === failed.open)
  const starts = [...near, ...(value ? [value] : [])].map(({ token }) => token.start)
  for (const bracket of ['{', '[']) {
    const why = `a ${bracket} is missing here: add it`
    for (const start of starts) yield insertAt(start, bracket, why)
  }
}

/** Lists brackets, commas and colons that may be too many, the nearest first. */
export function* listSuperfluous(text: string, steps: Step[], failed: Step): Generator<Repair> {
  for (const { token } of [failed, ...steps.slice(-TOKENS_BACK).reverse()]) {
    if (!/^[{}[\],:]$/.test(token.text)) continue
    yield removeAt(token.start, token.text)
  }
  // It may split a word.
  const next = endToken(failed.token)
  const [visible] = /\S/y.exec(text.slice(next, next + 1)) ?? []
  if (visible !== undefined) yield removeAt(next, visible)
}

/** Lists the removal of all that follows the file. */
export function* listRest(text: string, { expected, token }: Step): Generator<Repair> {
  if (expected !== 'end' || /^\/[/*]/.test(token.text)) return
  const rest = text.slice(token.start).trimEnd()
  const why = 'expected the end of the file: remove this and the rest'
  yield rest.length === 1
    ? removeAt(token.start, rest)
    : { offset: token.start, remove: text.length - token.start, insert: '', why }
}

function closeBefore(
  text: string,
  steps: Step[],
  open: OpenBracket,
  at: number,
  comma = '',
): Repair {
  const before = steps[at - 1]
  const isComma = before?.token.text === ','
  const last = isComma ? steps[at - 2] : before
  const closer = toCloser(open) + comma
  return insertAt(
    last === undefined ? 0 : endToken(last.token),
    closer,
    `${describeOpen(text, open)} is never closed: add ${closer} here`,
  )
}

function describeOpen(text: string, { token }: OpenBracket): string {
  return `the ${token.text} on line ${text.slice(0, token.start).split('\n').length}`
}

function measureIndent(text: string, offset: number): number {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /[ \t]*/.exec(text.slice(start, offset))?.[0].length ?? 0
}
