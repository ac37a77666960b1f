import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { getAt } from '../core/present.ts'
import type { Fault } from '../model/observation.ts'
import { quote } from './faults.ts'

/** A node of a text that is read as JSON as far as it goes. */
export type TextNode = Node

/** Place in a text as editors count: both from 1, columns in UTF-16 units. */
export interface TextPlace {
  line: number
  column: number
}

/** Message for each error of the JSON parser. */
const syntaxWords: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value: put strings in double quotes',
  InvalidNumberFormat: 'this is not a number: write one such as 1.5',
  PropertyNameExpected: 'expected a name in double quotes: add it here',
  ValueExpected: 'expected a value: add it here',
  ColonExpected: 'expected a colon before this: add it',
  CommaExpected: 'expected a comma before this: add it',
  CloseBraceExpected: 'expected a }: add it here',
  CloseBracketExpected: 'expected a ]: add it here',
  EndOfFileExpected: 'expected the end of the file: remove this and the rest',
  InvalidCommentToken: 'JSON has no comments: remove this one',
  UnexpectedEndOfComment: 'JSON has no comments: remove this one',
  UnexpectedEndOfString: 'this string never ends: add the closing double quote',
  UnexpectedEndOfNumber: 'this number is incomplete: write all its digits',
  InvalidUnicode: 'this escape is incomplete: write four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'this character cannot follow a backslash: write \\\\ for a backslash',
  InvalidCharacter: 'this character is not allowed in a string: write an escape such as \\n',
}

/** JSON values by how other languages write them, in lower case. */
const literals: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  none: 'null',
  nil: 'null',
}

const REMOVE_COMMA = 'remove the trailing comma'
const ADD_COMMA = 'expected a comma at the end of this line: add it'

/** Explains an error right after a comma, which is then most likely the fault, by what follows the comma. */
function explainComma(rest: string): string | undefined {
  if (rest.startsWith(',')) return 'there are two commas in a row: remove one of them'
  return /^[}\]]/.test(rest) ? `there is a comma before the ${rest[0]}: ${REMOVE_COMMA}` : undefined
}

/** Explains a missing colon by the name that it should follow; undefined where that is long. */
function explainColon(before: string): string | undefined {
  const [, name] = /"([^"\\\n]{1,60})"$/.exec(before.slice(-80)) ?? []
  return name && `expected a colon after ${quote(name)}: add it here`
}

/** Finds where a text stops being JSON, and why; undefined where it is nested too deeply to tell. */
export function findSyntaxFault(text: string): (TextPlace & { why: string }) | undefined {
  const errors: ParseError[] = []
  if (readTree(text, errors) === 'too deep') return undefined
  const first = errors.sort((a, b) => a.offset - b.offset)[0]
  if (first === undefined) return undefined
  const code = printParseErrorCode(first.error)
  const why = explainPlace(text, first) ?? syntaxWords[code] ?? 'this is not JSON'
  // The parser stops at the bracket, which may be lines below the comma.
  const isComma = why.endsWith(REMOVE_COMMA)
  const offset = isComma ? text.lastIndexOf(',', first.offset) : first.offset
  return { ...buildPlaces(text)(why === ADD_COMMA ? endBefore(text, offset) : offset), why }
}

/** Returns the offset behind the last character before another one that is no blank. */
function endBefore(text: string, offset: number): number {
  return text.slice(0, offset).trimEnd().length
}

/** Explains an error by its place: at the start or the end of the text, or after a comma. */
function explainPlace(text: string, { error, offset, length }: ParseError): string | undefined {
  const end = text.trimEnd().length
  if (end > 0 && !/^\s*(?:["{[]|\/[/*])/.test(text))
    return 'it does not start with {: put the JSON of the file here'
  if (/[“”„‟]/.test(text[offset] ?? ''))
    return `${text[offset]} is a typographic quote: write " instead, around every name and text`
  if (end > 0 && offset + length >= end && !isWhole(text)) {
    const last = text.trimStart().startsWith('[') ? ']' : '}'
    return `it ends without its closing ${last}: add what is missing, or upload it again if it was cut off`
  }
  const [word] = /^\w+/.exec(text.slice(offset, offset + 8)) ?? []
  const literal = word && literals[word.toLowerCase()]
  if (literal) return `${word} is not a JSON value: write ${literal}`
  const before = text.slice(0, offset).trimEnd()
  if (printParseErrorCode(error) === 'ColonExpected') return explainColon(before)
  const isNextLine = text.slice(before.length, offset).includes('\n')
  if (printParseErrorCode(error) === 'CommaExpected' && isNextLine) return ADD_COMMA
  if (text[offset] === ',' && /[[{]$/.test(before)) return 'this comma follows nothing: remove it'
  return before.endsWith(',') ? explainComma(text.slice(offset).trimStart()) : undefined
}

/** Tells whether a text has the bracket that ends it. */
function isWhole(text: string): boolean {
  return /[}\]]\s*$/.test(text)
}

/**
 * Finds where in a JSON text each fault is. A fault of something that is missing is where it belongs: in the
 * object around it. All of them are undefined if the text is not JSON.
 */
export function findFaultPlaces(text: string, faults: readonly Pick<Fault, 'field'>[]) {
  const root = readTree(text, [])
  if (root === undefined || root === 'too deep') return faults.map(() => undefined)
  const toPlace = buildPlaces(text)
  return faults.map(({ field }): TextPlace => toPlace(findOffset(root, field)))
}

/** A name that stands again in one object of a text. */
export interface RepeatedName extends TextPlace {
  /** Path of the object, `root` for the whole text. */
  field: string
  name: string
}

/** Finds at most `max` names that stand twice in one object: a parser keeps the last value without a word. */
export function findRepeatedNames(text: string, max: number): RepeatedName[] {
  const root = readTree(text, [])
  if (root === undefined || root === 'too deep') return []
  const toPlace = buildPlaces(text)
  const repeated: RepeatedName[] = []
  const walk = ({ type, children = [] }: Node, field: string) => {
    if (type === 'array') children.forEach((item, at) => void walk(item, `${field}[${at}]`))
    if (type !== 'object') return
    const names = new Set<string>()
    for (const { children: [key, value] = [] } of children) {
      if (key === undefined || value === undefined) continue
      const name = String(key.value)
      if (names.has(name) && repeated.length < max)
        repeated.push({ field: field || 'root', name, ...toPlace(key.offset) })
      names.add(name)
      walk(value, field === '' ? name : `${field}.${name}`)
    }
  }
  walk(root, '')
  return repeated
}

/** Reads a text as a tree. The parser is recursive: what overflows its stack is nested far too deeply. */
export function readTree(text: string, errors: ParseError[]): Node | 'too deep' | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  } catch (error) {
    if (error instanceof RangeError) return 'too deep'
    throw error
  }
}

/** Finds the node of a path such as `properties[3].tags`; the deepest that exists of it. */
function findOffset(root: Node, field: string): number {
  let node = root
  let rest = field === 'root' || field === 'json' ? '' : field
  while (rest !== '') {
    const step = node.type === 'array' ? findItem(node, rest) : findMember(node, rest)
    if (step === undefined) break
    node = step.node
    rest = step.rest
  }
  return node.parent?.type === 'property' ? node.parent.offset : node.offset
}

interface Step {
  node: Node
  rest: string
}

function findItem({ children = [] }: Node, path: string): Step | undefined {
  const [written = '', index] = /^\[(\d+)\]\.?/.exec(path) ?? []
  const node = index === undefined ? undefined : children[Number(index)]
  return node && { node, rest: path.slice(written.length) }
}

/** Finds the member that a path begins with: the longest name, since names may have dots; the last of equal ones. */
function findMember({ children = [] }: Node, path: string): Step | undefined {
  let found: Step | undefined
  let longest = -1
  for (const { children: [key, value] = [] } of children) {
    const name = String(key?.value)
    if (value === undefined || name.length < longest || !path.startsWith(name)) continue
    const rest = path.slice(name.length)
    if (rest !== '' && rest[0] !== '.' && rest[0] !== '[') continue
    longest = name.length
    found = { node: value, rest: rest.replace(/^\./, '') }
  }
  return found
}

/** Builds the conversion of offsets to places of a text. */
function buildPlaces(text: string): (offset: number) => TextPlace {
  const starts = [0]
  for (const { index } of text.matchAll(/\r\n|\n|\r/g)) {
    starts.push(index + (text.startsWith('\r\n', index) ? 2 : 1))
  }
  return offset => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (getAt(starts, middle) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - getAt(starts, low) + 1 }
  }
}
