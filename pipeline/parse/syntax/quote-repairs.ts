import { quote } from '../faults.ts'
import { endToken, type Step } from './json-tokens.ts'
import { insertAt, type Repair, removeAt } from './text-edit.ts'

/** JSON values by how other languages write them, in lower case. */
const literals: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  none: 'null',
  nil: 'null',
  undefined: 'null',
  nan: 'null',
}

/** Matches a double quote as word processors write it. */
export const TYPOGRAPHIC = /[“”„‟]/
export const WRITE_STRAIGHT = 'write " instead, around every name and text'

/** Lists the places of quotes that may be missing, or may be too many, the nearest first. */
export function* listQuotes(text: string, steps: Step[], failed: Step): Generator<Repair> {
  const end = endToken(failed.token)
  const start = steps.at(-3)?.token.start ?? 0
  for (let at = end; at >= start; at--) {
    if (text[at] === '"') yield removeAt(at, 'double quote')
    if (/[\s"{}[\],:]/.test(text.slice(Math.max(at - 1, 0), at + 1)))
      yield insertAt(at, '"', 'a double quote is missing here: add it')
  }
}

/** Lists the line breaks in a string that goes on behind them. */
export function* listLineBreaks(text: string, { token }: Step): Generator<Repair> {
  if (!token.text.startsWith('"')) return
  const offset = endToken(token)
  const broken = /(?:\r?\n(?:[^"\\\n\r]|\\[^\n\r])*)+(?=")/y
  broken.lastIndex = offset
  const [written] = broken.exec(text) ?? []
  if (written === undefined) return
  const insert = written.replace(/\s*\n\s*/g, '\\n')
  const why = 'a string must not have a line break: write \\n instead, or put it all on one line'
  yield { offset, remove: written.length, insert, why }
}

/** Lists what is written in the way of another language, or of a word processor. */
export function* listWords(text: string, steps: Step[], failed: Step): Generator<Repair> {
  const { token } = failed
  const literal = literals[token.text.toLowerCase()]
  if (literal !== undefined) {
    const why = `${token.text} is not a JSON value: write ${literal}`
    yield { offset: token.start, remove: token.text.length, insert: literal, why }
  }
  const number = Number(token.text.replaceAll('_', ''))
  if (/^[+-]?\.?\d.{0,13}$/.test(token.text) && Number.isFinite(number)) {
    const why = `${token.text} is not a number in JSON: write ${number}, or put it in double quotes`
    yield { offset: token.start, remove: token.text.length, insert: String(number), why }
  }
  const last = steps.at(-1)?.token
  const found = last?.text.startsWith('"') ? TYPOGRAPHIC.exec(last.text) : null
  if (last !== undefined && found !== null) {
    const why = `${found[0]} is a typographic quote: ${WRITE_STRAIGHT}`
    yield { offset: last.start + found.index, remove: 1, insert: '"', why }
  }
  yield* listUnquoted(text, failed)
}

/** Lists what a name or a text without its double quotes becomes with them. */
function* listUnquoted(text: string, { expected, token }: Step): Generator<Repair> {
  const isName = expected.startsWith('name')
  const word = isName
    ? /'([^'"\\\n]*)'|([\w$.-]+)(?= *:)/y
    : /'([^'"\\\n]*)'|([\p{L}][^"\\\n,{}[\]]*)/uy
  word.lastIndex = token.start
  const [written, single, bare] = word.exec(text) ?? []
  if (written === undefined) return
  const [what, content] = [isName ? 'name' : 'text', single ?? bare?.trimEnd() ?? '']
  const quotes = single === undefined ? 'has no double quotes' : 'has single quotes'
  yield {
    offset: token.start,
    remove: single === undefined ? content.length : written.length,
    insert: `"${content}"`,
    why: `this ${what} ${quotes}: write ${quote(content)} in double quotes`,
  }
}
