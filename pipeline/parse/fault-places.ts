import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { getAt } from '../core/present.ts'
import type { Fault } from '../model/observation.ts'

/** A node of a text that is read as JSON as far as it goes. */
export type TextNode = Node

/** Place in a text as editors count: both from 1, columns in UTF-16 units. */
export interface TextPlace {
  line: number
  column: number
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

/** Finds the first error of a text that is not JSON; undefined where it is JSON, or nested too deeply to tell. */
export function findParseError(text: string): { code: string; offset: number } | undefined {
  const errors: ParseError[] = []
  if (readTree(text, errors) === 'too deep') return undefined
  const [first] = errors.sort((a, b) => a.offset - b.offset)
  return first && { code: printParseErrorCode(first.error), offset: first.offset }
}

/** Builds the conversion of offsets to places of a text. */
export function buildPlaces(text: string): (offset: number) => TextPlace {
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
