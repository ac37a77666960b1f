import { quote } from '../faults.ts'
import { endToken, type Step } from './json-tokens.ts'
import { insertAt, type Repair } from './text-edit.ts'

/** Lists the comma that nothing follows, or that follows nothing. */
export function* listCommas(steps: Step[], { token }: Step): Generator<Repair> {
  const last = steps.at(-1)?.token
  const edit = { remove: 1, insert: '' }
  if (token.text === ',' && /^[[{]$/.test(last?.text ?? ''))
    yield { ...edit, offset: token.start, why: 'this comma follows nothing: remove it' }
  if (last?.text !== ',') return
  if (token.text === ',')
    yield {
      ...edit,
      offset: token.start,
      why: 'there are two commas in a row: remove one of them',
    }
  if (/^[}\]]$/.test(token.text)) {
    const why = `there is a comma before the ${token.text}: remove the trailing comma`
    yield { ...edit, offset: last.start, why }
  }
}

/** Lists a comma or a colon that is missing, and what was written in its place. */
export function* listSeparators(text: string, steps: Step[], failed: Step): Generator<Repair> {
  const { token } = failed
  const before = steps.at(-1)
  const end = before === undefined ? 0 : endToken(before.token)
  const isNextLine = text.slice(end, token.start).includes('\n')
  yield insertAt(
    isNextLine ? end : token.start,
    ',',
    `expected a comma ${isNextLine ? 'at the end of this line' : 'before this'}: add it`,
  )
  const name = before?.token.text.startsWith('"') && before.token.text.slice(1, -1)
  yield insertAt(
    isNextLine ? end : token.start,
    ':',
    `expected a colon${name ? ` after ${quote(name)}` : ''}: add it here`,
  )
  const [wrong] = /^(?:=>|[=;:,：，；])/.exec(token.text) ?? []
  if (wrong === undefined) return
  for (const right of [':', ',']) {
    // A name in a list tells of a bracket that is missing.
    if (wrong === ':' && failed.open?.token.text === '[') continue
    const why = `expected ${right === ':' ? 'a colon' : 'a comma'}, not ${wrong}: write ${right} instead`
    yield { offset: token.start, remove: wrong.length, insert: right, why }
  }
}
