import { findNearestWord } from '../core/nearest-word.ts'
import { getFirst } from '../core/present.ts'
import { quote } from './faults.ts'

/** Names of a file with which one that it does not hold is compared. */
const COMPARED_MAX = 200
/** Longest list that a message shows. */
const LIST_CHARS = 80

/** Characters that names of a kind may have. */
export interface Alphabet {
  pattern: RegExp
  allows: string
  /** Proposes a name that exists for one that is not allowed, as the end of a message; empty if there is none. */
  propose?: (name: string) => string
}

/** Ids and tags of properties. */
export const SLUG = { pattern: /^[a-z0-9_]+$/, allows: 'lowercase letters, digits and _' }
export const SIGNAL_ID = { pattern: /^[a-zA-Z0-9_-]+$/, allows: 'letters, digits, _ and -' }
export const SIGNAL_TAG = {
  pattern: /^[a-z0-9_-]+$/,
  allows: 'lowercase letters, digits, _ and -',
}

/** Describes a value that is none of the allowed ones: the nearest of them first, since their list may be long. */
export function describeChoice(value: unknown, allowed: readonly string[], verb = 'is'): string {
  const rule = `${verb === 'is' ? 'must be' : 'may contain only'} ${joinAlternatives(allowed)}`
  const meant = typeof value === 'string' ? findMeant(value, allowed) : undefined
  return meant === undefined
    ? `${verb} ${quote(value)} but ${rule}`
    : `${verb} ${quote(value)}: did you mean ${quote(meant)}? It ${rule}`
}

/** Shortest beginning that says which value was meant. */
const BEGINNING_MIN = 3

/** Finds the allowed value that is near, or the only one that begins so. */
function findMeant(value: string, allowed: readonly string[]): string | undefined {
  const near = findNearestWord(value, allowed)
  if (near !== undefined || value.length < BEGINNING_MIN) return near
  const [first, ...others] = allowed.filter(word => word.startsWith(value.toLowerCase()))
  return others.length === 0 ? first : undefined
}

/** Names the known word that was most likely meant, as the end of a message; empty if none is near. */
export function proposeNearest(word: string, known: Iterable<string | undefined>): string {
  const words: string[] = []
  for (const other of known) {
    if (words.length === COMPARED_MAX) break
    if (other !== undefined) words.push(other)
  }
  const meant = findNearestWord(word, words)
  return meant === undefined ? '' : `: did you mean ${quote(meant)}?`
}

/** Adds the spelling that an alphabet allows of a name, or one such as it allows. */
export function proposeSpelling(name: string, { pattern, propose }: Alphabet): string {
  const found = listSpellings(name).find(spelling => pattern.test(spelling))
  const spelled = found === undefined ? ': use a name such as "my_site"' : `: write ${quote(found)}`
  return propose?.(name) || spelled
}

/** Lists how a name is written with fewer kinds of characters. */
export function listSpellings(name: string): string[] {
  const plain = name
    .trim()
    .replace(/[^\w-]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return [plain, plain.toLowerCase(), plain.toLowerCase().replaceAll('-', '_')]
}

/** Names values as they are written, of which one is to be chosen. */
export function joinAlternatives(values: readonly unknown[]): string {
  const written = values.map(quote)
  return written.length === 1
    ? getFirst(written)
    : `${written.slice(0, -1).join(', ')} or ${written.at(-1)}`
}

/** Adds how a value would be written as a list of strings, as the end of a message: a text by its parts. */
export function proposeList(value: unknown): string {
  const words = typeof value === 'string' ? value.split(',').map(word => word.trim()) : [value]
  const isWritable = words.every(word => typeof word !== 'object' && word !== '')
  const list = `[${words.map(word => quote(String(word))).join(', ')}]`
  return isWritable && list.length <= LIST_CHARS && !list.includes('…')
    ? `: write ${list}`
    : ': write a list in brackets: [ … ]'
}

/** Writes an item of a list with a quoted text, or with one such as belongs there. */
export type Example = (quoted?: string) => string

/** Adds how an item that is no object, or a list of it, is written, as the end of a message; empty without an example. */
export function proposeItem(item: unknown, example: Example | undefined): string {
  if (example === undefined) return ''
  const [value] = [item].flat()
  const quoted = typeof value === 'string' ? quote(value) : '…'
  const written = example(quoted.includes('…') ? undefined : quoted)
  return `: write ${Array.isArray(item) ? `[${written}]` : written}`
}

/** Describes a value that should be a string, and how it is written as one. */
export function describeNoString(value: unknown): string {
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  const fix = isScalar ? `write ${quote(String(value))}` : 'use text in double quotes'
  return `must be a string, not ${quote(value)}: ${fix}`
}
